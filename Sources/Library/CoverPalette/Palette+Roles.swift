internal import CoverCache

extension Palette {
  /// Assigns the roles of a palette to the peaks of a cover.
  ///
  /// Similar peaks are merged into at most five colours. The background is the most present one.
  /// Primary and secondary are the most present and colourful ones that differ from the chosen
  /// colours. The accent is the most colourful remaining one. A role without a remaining colour repeats
  /// the one chosen before it, beginning with the background; if the cover has only three colours, the
  /// accent is the background, so that the three roles still differ. Text is the least colourful
  /// colour, or else a remaining one, or else the one with the best contrast to the background, if the
  /// contrast is at least ``readableContrast``. Otherwise it is black or white: one of them always has
  /// a contrast of 4.58 or more. All other roles occur in the cover. Without peaks the palette is black
  /// on white.
  public init(assigning peaks: [ColorPeak]) {
    let shades = ShadeGroups(of: peaks, count: Palette.colours)
    guard let all = RoleAssignment(of: shades.groups) else {
      self.init(
        primary: Palette.black, secondary: Palette.black, accent: Palette.black,
        background: Palette.white, text: Palette.black)
      return
    }
    guard all.text == nil, all.roles.count < all.groups.count else {
      self.init(all, of: all.groups)
      return
    }
    // A colour without a role would be lost, so that the others move towards its shades.
    var fewer = shades
    fewer.keep(all.roles)
    let groups = fewer.groups
    self.init(all.renumbered(with: groups), of: groups)
  }

  /// The number of colours, one for each role.
  private static let colours = 5
  fileprivate static let white = RGBA(red: 255, green: 255, blue: 255)
  fileprivate static let black = RGBA(red: 0, green: 0, blue: 0)

  /// The minimum contrast of normal text: WCAG 2.2, criterion 1.4.3.
  public static let readableContrast = 4.5

  private init(_ assignment: RoleAssignment, of groups: [ColorGroup]) {
    let colours = assignment.roles.map { groups[$0].colour }
    let background = colours[0]
    let text =
      assignment.text.map { groups[$0].colour }
      ?? Palette.bestText(of: colours, on: background)
    let primary = colours.count > 1 ? colours[1] : background
    let secondary = colours.count > 2 ? colours[2] : primary
    // Two colours beside the background: only with the background there are three.
    let accent = colours.count > 3 ? colours[3] : colours.count > 2 ? background : secondary
    self.init(
      primary: primary, secondary: secondary, accent: accent, background: background, text: text)
  }

  /// Returns the colour with the best contrast if it suffices, or black or white.
  private static func bestText(of colours: [RGBA], on background: RGBA) -> RGBA {
    func best(of colours: [RGBA]) -> RGBA {
      colours.max { $0.contrast(with: background) < $1.contrast(with: background) } ?? black
    }
    let found = best(of: colours)
    return found.contrast(with: background) >= readableContrast ? found : best(of: [black, white])
  }
}

/// The groups of a cover that have a role.
private struct RoleAssignment {
  var groups: [ColorGroup]
  /// The groups of background, primary, secondary and accent, as far as there are enough.
  private(set) var roles: [Int]
  /// The group of a text colour that has no other role.
  private(set) var text: Int?

  /// Assigns the roles; nil without groups.
  init?(of groups: [ColorGroup]) {
    guard let background = groups.indices.max(by: { groups[$0].presence < groups[$1].presence })
    else { return nil }
    self.groups = groups
    roles = [background]
    func isReadable(_ group: Int) -> Bool {
      groups[group].colour.contrast(with: groups[background].colour) >= Palette.readableContrast
    }
    let others = groups.indices.filter { $0 != background }
    // A neutral colour is lost as text least of all, but text must leave three colours for the roles.
    if others.count > 3,
      let dullest = others.min(by: { groups[$0].lab.chroma < groups[$1].lab.chroma }),
      isReadable(dullest)
    {
      text = dullest
    }
    func presence(_ group: ColorGroup) -> Double {
      group.presence.squareRoot() * (group.lab.chroma + 0.05)
    }
    choose(by: presence)
    choose(by: presence)
    choose { ($0.lab.chroma + 0.01) * $0.presence.squareRoot().squareRoot() }
    if roles.count < 4, text != nil {
      text = nil
      choose(by: presence)
    }
    guard text == nil else { return }
    text = others.filter { !roles.contains($0) && isReadable($0) }.max { one, other in
      let colour = groups[background].colour
      return groups[one].colour.contrast(with: colour) < groups[other].colour.contrast(with: colour)
    }
  }

  /// Returns the assignment for groups that are the roles, in their order.
  func renumbered(with groups: [ColorGroup]) -> RoleAssignment {
    var result = self
    result.groups = groups
    result.roles = Array(groups.indices)
    return result
  }

  private mutating func choose(by score: (ColorGroup) -> Double) {
    var best: (group: Int, score: Double)?
    for index in groups.indices where index != text && !roles.contains(index) {
      let distance = roles.map { groups[$0].lab.distance(to: groups[index].lab) }.min() ?? 1
      let score = score(groups[index]) * Self.novelty(at: distance)
      // The first of equals wins, so that a palette depends only on its cover.
      if score > best?.score ?? 0 { best = (index, score) }
    }
    if let best { roles.append(best.group) }
  }

  /// Returns how new a colour is, 0 to 1, by its OKLab distance from the chosen colours.
  ///
  /// The value rises slowly, so that a slightly different shade does not change the whole palette.
  private static func novelty(at distance: Double) -> Double {
    max(0, min(1, (distance - 0.02) / 0.1))
  }
}
