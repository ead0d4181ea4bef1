public import CoverCache

/// A colour that more than a thousandth of a picture's pixels have, or nearly have.
public struct ColorPeak: Equatable, Sendable {
  /// The colour that stands for them.
  public let colour: RGBA
  /// Their part of all pixels, over 0.001 to 1.
  public let share: Double

  /// Makes a peak.
  public init(colour: RGBA, share: Double) {
    self.colour = colour
    self.share = share
  }
}

/// How the colours of a picture are counted.
public enum ColorCounting: String, CaseIterable, Hashable, Sendable {
  /// In a cube of nested arrays, as the case study did.
  case nestedCube = "nested-cube"
  /// In the same cube as one array.
  case flatCube = "flat-cube"
  /// In the same cube, with the mean colour of each box in place of its centre.
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
