/// A colour of a cover: red, green and blue in 0...1.
typealias CoverColor = SIMD3<Float>

/// The design of a cover, independent of its size.
struct CoverDesign {
  /// The overall tone.
  enum Tone: CaseIterable {
    case light
    case dark
    case colourful
  }

  /// The position of the picture.
  enum Layout: CaseIterable {
    /// The picture fills the cover.
    case fullPhoto
    /// The picture is in a window below the title.
    case window
    /// There are stripes and discs instead of a picture.
    case graphic
  }

  let tone: Tone
  let layout: Layout
  /// The colours at the top and at the bottom.
  let ground: (top: CoverColor, bottom: CoverColor)
  /// The two colours between which the picture varies.
  let picture: (first: CoverColor, second: CoverColor)
  let accent: CoverColor
  let ink: CoverColor

  /// Draws a random design.
  init(_ random: inout SplitMix64) {
    tone = random.of(Tone.allCases)
    layout = [Layout.fullPhoto, .window, .graphic][random.weighted([40, 35, 25])]
    let hue = random.fraction()
    let other = hue + [0.08, 0.33, 0.5][random.below(3)]
    switch tone {
    case .light:
      ground = (.hsv(hue, 0.08, 0.97), .hsv(other, 0.22, 0.88))
      ink = .hsv(hue, 0.5, 0.15)
    case .dark:
      ground = (.hsv(hue, 0.5, 0.22), .hsv(other, 0.6, 0.07))
      ink = .hsv(other, 0.08, 0.95)
    case .colourful:
      ground = (.hsv(hue, 0.8, 0.9), .hsv(other, 0.75, 0.6))
      ink = .hsv(hue, 0.03, 0.98)
    }
    let value: Float = tone == .dark ? 0.5 : 0.9
    picture = (.hsv(other, 0.55, value), .hsv(hue + 0.15, 0.35, value * 0.5))
    accent = .hsv(hue + 0.5, 0.85, 0.85)
  }
}

extension CoverColor {
  /// Returns the colour of a hue (in turns), a saturation and a value, both in 0...1.
  ///
  /// Source: A. R. Smith, "Color gamut transform pairs", SIGGRAPH 1978, doi:10.1145/800248.807361.
  static func hsv(_ hue: Float, _ saturation: Float, _ value: Float) -> Self {
    func channel(_ offset: Float) -> Float {
      let k = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
      return value - value * saturation * Swift.max(0, Swift.min(k, 4 - k, 1))
    }
    return Self(channel(5), channel(3), channel(1))
  }
}
