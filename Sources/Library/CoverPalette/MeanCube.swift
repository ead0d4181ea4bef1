public import CoverCache

/// A histogram like ``ColorCube`` that also computes the mean colour of each box.
///
/// A cover's white may be 250 or 238, while the centre of both boxes is 240. The means cost one
/// vector addition per pixel.
public struct MeanCube: Sendable {
  /// The sums of red, green and blue, and the number of pixels, of each box.
  private var boxes = [SIMD4<UInt64>](repeating: .zero, count: ColorCube.boxCount)

  init() {}

  /// Counts the pixels of a picture.
  ///
  /// - Complexity: O(pixels) time, 24 KiB of memory.
  public init(of picture: PixelBuffer) {
    self.init()
    picture.withPixels { pixels in
      // 32-bit sums cannot overflow within a chunk, and half the width doubles the speed.
      for start in stride(from: 0, to: pixels.count, by: MeanCube.chunk) {
        add(pixels.extracting(start..<min(pixels.count, start + MeanCube.chunk)))
      }
    }
  }

  private static let chunk = 1 << 24

  /// Counts the pixels of the boxes of a ``ColorReference``.
  init(of reference: [SIMD4<UInt64>]) {
    self.init()
    for box in reference {
      boxes[ColorCube.box(of: ColorReference.mean(of: box))] &+= box
    }
  }

  /// Adds pixels of one colour.
  mutating func add(_ colour: RGBA, count: Int) {
    let sums = SIMD4<UInt64>(truncatingIfNeeded: MeanCube.vector(of: colour))
    boxes[ColorCube.box(of: colour)] &+= sums &* UInt64(count)
  }

  /// The mean colours of the boxes with more than a thousandth of the pixels, the fullest first.
  ///
  /// Equally full boxes are ordered by red, green, blue.
  public var peaks: [ColorPeak] { peaks(above: boxes.reduce(0) { $0 + $1.w } / 1000) }

  /// The mean colours of all boxes that have pixels, in the order of ``peaks``.
  var shades: [ColorPeak] { peaks(above: 0) }

  private func peaks(above least: UInt64) -> [ColorPeak] {
    let total = boxes.reduce(0) { $0 + $1.w }
    return boxes.enumerated()
      .filter { $0.element.w > least }
      .sorted { ($1.element.w, $0.offset) < ($0.element.w, $1.offset) }
      .map { _, sums in
        let mean = (sums &+ SIMD4(repeating: sums.w / 2)) / sums.w
        return ColorPeak(
          colour: RGBA(red: UInt8(mean.x), green: UInt8(mean.y), blue: UInt8(mean.z)),
          share: Double(sums.w) / Double(total))
      }
  }

  private mutating func add(_ pixels: Span<RGBA>) {
    var sums = Array(repeating: SIMD4<UInt32>.zero, count: ColorCube.boxCount)
    sums.withUnsafeMutableBufferPointer { sums in
      for index in pixels.indices {
        let pixel = pixels[index]
        sums[ColorCube.box(of: pixel)] &+= MeanCube.vector(of: pixel)
      }
    }
    for index in boxes.indices {
      boxes[index] &+= SIMD4<UInt64>(truncatingIfNeeded: sums[index])
    }
  }

  @inline(__always)
  private static func vector(of colour: RGBA) -> SIMD4<UInt32> {
    SIMD4(UInt32(colour.red), UInt32(colour.green), UInt32(colour.blue), 1)
  }
}
