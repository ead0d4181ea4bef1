public import CoverCache

/// A histogram of colours in 8x8x8 equal boxes of RGB.
public struct ColorCube: Sendable {
  // A flat array, indexed by red x 64 + green x 8 + blue, needs fewer cache lines than nested
  // arrays.
  private var counts: [UInt32]
  private let total: Int

  /// Counts the pixels of a picture of fewer than 2^32 pixels.
  ///
  /// - Complexity: O(pixels) time, 2 KiB of memory.
  public init(of picture: PixelBuffer) {
    counts = Array(repeating: 0, count: ColorCube.boxCount)
    total = picture.width * picture.height
    picture.withPixels { pixels in
      for index in pixels.indices { counts[ColorCube.box(of: pixels[index])] &+= 1 }
    }
  }

  /// Counts the pixels of the boxes of a ``ColorReference``.
  init(of boxes: [SIMD4<UInt64>]) {
    counts = Array(repeating: 0, count: ColorCube.boxCount)
    total = Int(boxes.reduce(0) { $0 + $1.w })
    for box in boxes {
      counts[ColorCube.box(of: ColorReference.mean(of: box))] &+= UInt32(truncatingIfNeeded: box.w)
    }
  }

  /// The centres of the boxes with more than a thousandth of the pixels, the fullest first.
  ///
  /// Equally full boxes are ordered by red, green, blue.
  public var peaks: [ColorPeak] { Self.peaks(of: counts, total: total) }

  /// Returns the peaks of the numbers of pixels in all boxes.
  static func peaks(of counts: [some FixedWidthInteger], total: Int) -> [ColorPeak] {
    counts.enumerated()
      .filter { Int($0.element) > total / 1000 }
      .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
      .map { box, count in
        ColorPeak(colour: centre(of: box), share: Double(count) / Double(total))
      }
  }

  /// The number of boxes.
  static let boxCount = 512

  /// Returns the index of the box of a colour, from 0.
  @inline(__always)
  static func box(of colour: RGBA) -> Int {
    Int(colour.red & 0xE0) << 1 | Int(colour.green & 0xE0) >> 2 | Int(colour.blue) >> 5
  }

  private static func centre(of box: Int) -> RGBA {
    RGBA(
      red: UInt8(box >> 6) * 32 + 16, green: UInt8(box >> 3 & 7) * 32 + 16,
      blue: UInt8(box & 7) * 32 + 16)
  }
}
