internal import CoverCache

extension Palette {
  /// Gives the peaks of a cover their roles.
  ///
  /// The background is the fullest peak. Primary and secondary are the peaks that are most present
  /// and colourful among those that look different from what was chosen before. The accent is the
  /// most colourful peak that is left. A role for which no peak is left takes the colour chosen
  /// before it. Text is the peak that reads best on the background, or black or white where none
  /// reads well: one of the two always has a contrast of 4.58 or more.
  ///
  /// - Parameter peaks: The fullest first; black on white when there are none.
  public init(assigning peaks: [ColorCube.Peak]) {
    let candidates = peaks.map { Candidate(peak: $0) }
    let white = RGBA(red: 255, green: 255, blue: 255)
    let black = RGBA(red: 0, green: 0, blue: 0)
    let background = candidates.first?.colour ?? white
    var chosen = [OKLab(background)]

    func choose(by score: (Candidate) -> Double, otherwise fallback: RGBA) -> RGBA {
      let different = candidates.filter { candidate in
        chosen.allSatisfy { $0.distance(to: candidate.lab) >= Palette.visibleDistance }
      }
      // The first of equals, so that a palette depends on its cover alone.
      guard let best = different.map(score).max(),
        let candidate = different.first(where: { score($0) == best })
      else { return fallback }
      chosen.append(candidate.lab)
      return candidate.colour
    }

    let readable =
      [black, white].max { $0.contrast(with: background) < $1.contrast(with: background) } ?? black
    let presence = { (candidate: Candidate) in
      candidate.share.squareRoot() * (candidate.lab.chroma + 0.05)
    }
    let primary = choose(by: presence, otherwise: readable)
    let secondary = choose(by: presence, otherwise: primary)
    let accent = choose(by: { $0.lab.chroma }, otherwise: secondary)

    let contrasts = candidates.map { $0.colour.contrast(with: background) }
    let best = contrasts.max() ?? 0
    let text =
      best >= Palette.readableContrast
      ? contrasts.firstIndex(of: best).map { candidates[$0].colour } ?? readable : readable
    self.init(
      primary: primary, secondary: secondary, accent: accent, background: background, text: text)
  }

  /// The least contrast that text of normal size must have; WCAG 2.2, criterion 1.4.3.
  public static let readableContrast = 4.5
  /// OKLab distance from which two colours are clearly different, two boxes of the cube apart.
  private static let visibleDistance = 0.15

  private struct Candidate {
    let colour: RGBA
    let share: Double
    let lab: OKLab

    init(peak: ColorCube.Peak) {
      colour = peak.colour
      share = peak.share
      lab = OKLab(peak.colour)
    }
  }
}
