public import CoverCache

/// The colours of a cover, by what they are used for.
public struct Palette: Hashable, Sendable {
  /// The colour of headings and controls.
  public let primary: RGBA
  /// A second one beside it.
  public let secondary: RGBA
  /// The most colourful one.
  public let accent: RGBA
  /// What covers most of the cover.
  public let background: RGBA
  /// A colour that can be read on the background: a contrast of at least 4.5.
  public let text: RGBA

  /// Makes a palette of its colours.
  public init(primary: RGBA, secondary: RGBA, accent: RGBA, background: RGBA, text: RGBA) {
    self.primary = primary
    self.secondary = secondary
    self.accent = accent
    self.background = background
    self.text = text
  }

  /// All five, in the order in which they are declared.
  public var roles: [RGBA] { [primary, secondary, accent, background, text] }
}
