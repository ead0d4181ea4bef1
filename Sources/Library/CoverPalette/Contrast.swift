public import CoverCache

extension RGBA {
  /// The relative luminance, 0 for black to 1 for white.
  ///
  /// Source: WCAG 2.2, definition of relative luminance.
  public var luminance: Double {
    0.2126 * linearLight(red) + 0.7152 * linearLight(green) + 0.0722 * linearLight(blue)
  }

  /// Returns the contrast ratio with another colour, 1 to 21.
  ///
  /// Source: WCAG 2.2, definition of contrast ratio; text needs at least 4.5.
  public func contrast(with other: RGBA) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }
}
