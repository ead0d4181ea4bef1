internal import CoverCache

extension Palette {
  /// Assigns the roles of a palette to the peaks of a cover.
  ///
  /// Similar peaks are merged into at most five colours. The background is the most present one. Of
  /// five colours, the lightest one beside a dark background or the darkest one beside a light
  /// background is the text. The accent is the most colourful remaining one. Primary and secondary are
  /// the others; the primary colour is lighter on a dark background and darker on a light one. A role
  /// without a remaining colour repeats another one; if the cover has only three colours, the accent is
  /// the background, so that the three roles still differ. These four roles occur in the cover; two of
  /// them that hardly differ are moved apart by at most a quarter of their distance each.
  ///
  /// Text is mixed with as much white or black as it needs for ``readableContrast``. If the cover has
  /// one colour, the text is black or white: one of them always has a contrast of 4.5 or more. Without
  /// peaks the palette is black on white.
  ///
  /// A cover and its thumbnail have slightly different shades. Therefore a role depends on a property
  /// in which the colours of a picture differ by much more, and adjusted colours change by no more than
  /// needed.
  public init(assigning peaks: [ColorPeak]) {
    let groups = ShadeGroups(of: peaks, count: Palette.colours).groups
    guard let roles = RoleAssignment(of: groups) else {
      self.init(
        primary: Palette.black, secondary: Palette.black, accent: Palette.black,
        background: Palette.white, text: Palette.black)
      return
    }
    let background = roles.background.colour
    var colours = roles.others.map(\.colour)
    for one in colours.indices {
      for other in colours.indices[..<one] {
        (colours[one], colours[other]) = Palette.apart(colours[one], colours[other])
      }
    }
    let primary = colours.first ?? background
    let secondary = colours.count > 1 ? colours[1] : primary
    // Two colours beside the background: only with the background there are three.
    let accent = colours.count > 2 ? colours[2] : colours.count > 1 ? background : secondary
    self.init(
      primary: primary, secondary: secondary, accent: accent, background: background,
      text: Palette.readable(roles.text?.colour, on: background))
  }

  /// The number of colours, one for each role.
  private static let colours = 5
  private static let white = RGBA(red: 255, green: 255, blue: 255)
  private static let black = RGBA(red: 0, green: 0, blue: 0)

  /// The minimum contrast of normal text: WCAG 2.2, criterion 1.4.3.
  public static let readableContrast = 4.5

  /// The least OKLab distance of clearly different colours: twice the just visible difference.
  private static let clearDistance = 0.04

  /// Returns two colours moved apart, as little as needed for ``clearDistance``.
  ///
  /// Their distance grows by at most a half, so that none moves by more than a quarter of it: the result
  /// looks like the same colour.
  private static func apart(_ one: RGBA, _ other: RGBA) -> (RGBA, RGBA) {
    let middle = (one.vector + other.vector) / 2
    let half = one.vector - middle
    let pairs = (0...50).lazy.map { step in
      let part = half * (1 + Double(step) / 100)
      return ((middle + part).colour, (middle - part).colour)
    }
    return pairs.first { OKLab($0).distance(to: OKLab($1)) >= clearDistance } ?? (one, other)
  }

  /// Returns a colour mixed with white or black, as little as needed for ``readableContrast``.
  private static func readable(_ colour: RGBA?, on background: RGBA) -> RGBA {
    let end = isDark(background) ? white : black
    guard let colour else { return end }
    let mixtures = (0...255).lazy.map { part in
      (colour.vector + (end.vector - colour.vector) * (Double(part) / 255)).colour
    }
    return mixtures.first { $0.contrast(with: background) >= readableContrast } ?? end
  }

  /// Returns whether white is readable on a colour; otherwise black is, with a contrast above 4.6.
  fileprivate static func isDark(_ colour: RGBA) -> Bool {
    white.contrast(with: colour) >= readableContrast
  }
}

/// The groups of a cover by their role.
private struct RoleAssignment {
  let background: ColorGroup
  /// The groups of primary, secondary and accent, as far as there are enough.
  private(set) var others: [ColorGroup]
  private(set) var text: ColorGroup?

  /// Assigns the roles; nil without groups.
  init?(of groups: [ColorGroup]) {
    guard let first = groups.indices.max(by: { groups[$0].presence < groups[$1].presence })
    else { return nil }
    background = groups[first]
    // The sign makes the text the last one and the primary colour the one before it.
    let sign: Double = Palette.isDark(background.colour) ? 1 : -1
    others = groups.indices.filter { $0 != first }.map { groups[$0] }
      .sorted { $0.lab.lightness * sign < $1.lab.lightness * sign }
    text = others.last
    if others.count > 3 { others.removeLast() }
    let accent = others.indices.max { others[$0].lab.chroma < others[$1].lab.chroma }
      .flatMap { others.count > 2 ? others.remove(at: $0) : nil }
    others.reverse()
    if let accent { others.append(accent) }
  }
}
