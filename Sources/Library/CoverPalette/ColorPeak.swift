public import CoverCache

/// A colour of more than a thousandth of a picture's pixels.
public struct ColorPeak: Equatable, Sendable {
  /// The colour that represents the pixels.
  public let colour: RGBA
  /// The share of all pixels, from above 0.001 to 1.
  public let share: Double

  /// Creates a peak.
  public init(colour: RGBA, share: Double) {
    self.colour = colour
    self.share = share
  }
}

/// The data structure that counts the colours of a picture.
public enum ColorCounting: String, CaseIterable, Hashable, Sendable {
  /// A cube of nested arrays, as in the case study.
  case nestedCube = "nested-cube"
  /// A cube in one array.
  case flatCube = "flat-cube"
  /// A cube in one array that returns the mean colour of each box instead of its centre.
  case meanCube = "mean-cube"

  /// Counts all pixels of a picture.
  ///
  /// - Returns: The peaks, the fullest first.
  public func peaks(of picture: PixelBuffer) -> [ColorPeak] {
    switch self {
    case .nestedCube: NestedColorCube(of: picture).peaks
    case .flatCube: ColorCube(of: picture).peaks
    case .meanCube: MeanCube(of: picture).peaks
    }
  }
}
