internal import CoverCache

extension Palette {
  /// Assigns the roles of a palette to the peaks of a cover.
  ///
  /// Similar peaks are merged into one colour. The background is the largest. Primary and secondary
  /// are the most present and colourful groups that differ from the chosen colours. The accent is
  /// the most colourful remaining one. A role without a remaining colour repeats the one chosen
  /// before it. Text is the colour with the best contrast to the background, or black or white if
  /// no contrast suffices: either black or white always has a contrast of 4.58 or more. Without
  /// peaks the palette is black on white.
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
        // The first of equals wins, so that a palette depends only on its cover.
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

  /// The minimum contrast of normal text: WCAG 2.2, criterion 1.4.3.
  public static let readableContrast = 4.5

  /// Returns how new a colour is, 0 to 1, by its OKLab distance from the chosen colours.
  ///
  /// The value rises slowly, so that a slightly different shade does not change the whole palette.
  private static func novelty(at distance: Double) -> Double {
    max(0, min(1, (distance - 0.1) / 0.2))
  }
}
