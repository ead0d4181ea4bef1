public import CoverCache

/// The colours of a cover by their role.
public struct Palette: Hashable, Sendable {
  /// The colour of headings and controls.
  public let primary: RGBA
  /// The second colour of controls.
  public let secondary: RGBA
  /// The most colourful one.
  public let accent: RGBA
  /// The colour of most of the cover.
  public let background: RGBA
  /// A readable text colour, with a contrast of at least 4.5 to the background.
  public let text: RGBA

  /// Creates a palette from its colours.
  public init(primary: RGBA, secondary: RGBA, accent: RGBA, background: RGBA, text: RGBA) {
    self.primary = primary
    self.secondary = secondary
    self.accent = accent
    self.background = background
    self.text = text
  }

  /// The five colours in the order of their declaration.
  public var roles: [RGBA] { [primary, secondary, accent, background, text] }

  /// Red, green and blue of the five roles.
  package var rgb: [UInt8] { roles.flatMap { [$0.red, $0.green, $0.blue] } }

  /// Reads the format of ``rgb``; nil unless there are fifteen bytes.
  package init?(rgb: [UInt8]) {
    guard rgb.count == 15 else { return nil }
    let colours = stride(from: 0, to: 15, by: 3).map { index in
      RGBA(red: rgb[index], green: rgb[index + 1], blue: rgb[index + 2])
    }
    self.init(
      primary: colours[0], secondary: colours[1], accent: colours[2], background: colours[3],
      text: colours[4])
  }
}

extension Palette {
  /// Returns the visible difference from another palette: 0 for equal ones, 1 for black instead of
  /// white.
  ///
  /// It is the mean over the five roles of the distance in OKLab. Roles are compared one by one, so
  /// exchanging primary and secondary makes a different palette. CSS takes 0.02 as the least
  /// visible difference.
  ///
  /// Source: CSS Color Module Level 4, 13.2 ("deltaEOK", "JND").
  public func distance(to other: Palette) -> Double {
    let distances = zip(roles, other.roles).map { OKLab($0).distance(to: OKLab($1)) }
    return distances.reduce(0, +) / Double(distances.count)
  }
}
