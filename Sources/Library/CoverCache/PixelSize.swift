/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
  /// Pixels from left to right.
  public let width: Int
  /// Pixels from top to bottom.
  public let height: Int

  /// Creates a size in pixels.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Returns the largest size of the same shape that fits into a box, never larger than this one.
  ///
  /// Each side is rounded to the nearest pixel and is at least one: 4000x6000 in a box of 400x400
  /// is 267x400.
  public func fitted(into box: PixelSize) -> PixelSize {
    guard width > box.width || height > box.height else { return self }
    let scale = min(Double(box.width) / Double(width), Double(box.height) / Double(height))
    return PixelSize(
      width: max(1, Int((Double(width) * scale).rounded())),
      height: max(1, Int((Double(height) * scale).rounded())))
  }

  /// The size as text, in the form `400x600`.
  public var description: String { "\(width)x\(height)" }
}
