internal import CoverCache

extension Palette {
  /// Gives the peaks of a cover their roles.
  ///
  /// Peaks that look alike are one colour. The background is the largest of them. Primary and
  /// secondary are those that are most present and colourful, the less alike what was chosen before
  /// the better. The accent is the most colourful one that is left. A role for which no colour is
  /// left takes the one chosen before it. Text is the colour that reads best on the background, or
  /// black or white where none reads well: one of the two always has a contrast of 4.58 or more.
  ///
  /// - Parameter peaks: In any order; black on white when there are none.
  public init(assigning peaks: [ColorPeak]) {
    let groups = ColorGroup.groups(of: peaks)
    let white = RGBA(red: 255, green: 255, blue: 255)
    let black = RGBA(red: 0, green: 0, blue: 0)
    let background = groups.first?.colour ?? white
    var chosen = [OKLab(background)]

    func choose(by score: (ColorGroup) -> Double, otherwise fallback: RGBA) -> RGBA {
      var best: (group: ColorGroup, score: Double)?
      for group in groups {
        let distance = chosen.map { $0.distance(to: group.lab) }.min() ?? 1
        let score = score(group) * Palette.novelty(at: distance)
        // The first of equals, so that a palette depends on its cover alone.
        if score > best?.score ?? 0 { best = (group, score) }
      }
      guard let best else { return fallback }
      chosen.append(best.group.lab)
      return best.group.colour
    }

    let readable =
      [black, white].max { $0.contrast(with: background) < $1.contrast(with: background) } ?? black
    let presence = { (group: ColorGroup) in
      group.share.squareRoot() * (group.lab.chroma + 0.05)
    }
    let primary = choose(by: presence, otherwise: readable)
    let secondary = choose(by: presence, otherwise: primary)
    let accent = choose(
      by: { $0.lab.chroma * $0.share.squareRoot().squareRoot() }, otherwise: secondary)

    let contrasts = groups.map { $0.colour.contrast(with: background) }
    let best = contrasts.max() ?? 0
    let text =
      best >= Palette.readableContrast
      ? contrasts.firstIndex(of: best).map { groups[$0].colour } ?? readable : readable
    self.init(
      primary: primary, secondary: secondary, accent: accent, background: background, text: text)
  }

  /// The least contrast that text of normal size must have; WCAG 2.2, criterion 1.4.3.
  public static let readableContrast = 4.5

  /// How much a colour adds to those that were chosen, 0 to 1, by its OKLab distance from them.
  ///
  /// It rises slowly, so that a shade more or less of a cover does not change a whole palette.
  private static func novelty(at distance: Double) -> Double {
    max(0, min(1, (distance - 0.1) / 0.2))
  }
}
