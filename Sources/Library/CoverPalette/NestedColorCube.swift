public import CoverCache

/// A histogram like ``ColorCube`` in the case study's form: arrays of arrays of arrays.
public struct NestedColorCube: Sendable {
  private var counts: [[[Int]]]
  private let total: Int

  /// Counts the pixels of a picture.
  ///
  /// - Complexity: O(pixels) time, with three array accesses each.
  public init(of picture: PixelBuffer) {
    counts = Array(repeating: Array(repeating: Array(repeating: 0, count: 8), count: 8), count: 8)
    total = picture.width * picture.height
    picture.withUnsafeBytes { bytes in
      for pixel in stride(from: 0, to: total * 4, by: 4) {
        let red = Int(bytes[pixel]) / 32
        let green = Int(bytes[pixel + 1]) / 32
        let blue = Int(bytes[pixel + 2]) / 32
        counts[red][green][blue] += 1
      }
    }
  }

  /// The same peaks as ``ColorCube/peaks``.
  public var peaks: [ColorPeak] {
    ColorCube.peaks(of: counts.flatMap { $0.flatMap(\.self) }, total: total)
  }
}
