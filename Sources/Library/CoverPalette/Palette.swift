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
}
