public import CoverCache

/// A histogram of colours in 8x8x8 equal boxes of RGB.
public struct ColorCube: Sendable {
  /// A box that holds more than a thousandth of the pixels.
  public struct Peak: Equatable, Sendable {
    /// The centre of the box.
    public let colour: RGBA
    /// Its part of all pixels, over 0.001 to 1.
    public let share: Double

    /// Makes a peak.
    public init(colour: RGBA, share: Double) {
      self.colour = colour
      self.share = share
    }
  }

  // Flat, red x 64 + green x 8 + blue: one cache line less for each level that nested arrays have.
  private var counts: [UInt32]
  private var total: Int

  /// Makes a histogram of nothing.
  init() {
    counts = Array(repeating: 0, count: 512)
    total = 0
  }

  /// Counts the pixels of a picture.
  ///
  /// - Parameter picture: Of fewer than 2^32 pixels.
  /// - Complexity: O(pixels) time, 2 KiB of memory.
  public init(of picture: PixelBuffer) {
    self.init()
    total = picture.width * picture.height
    picture.withPixels { pixels in
      for index in pixels.indices { counts[ColorCube.box(of: pixels[index])] &+= 1 }
    }
  }

  /// Adds some pixels of one colour.
  mutating func add(_ colour: RGBA, count: Int) {
    counts[ColorCube.box(of: colour)] &+= UInt32(truncatingIfNeeded: count)
    total += count
  }

  /// The boxes that hold more than a thousandth of the pixels, the fullest first.
  ///
  /// Equally full boxes come in the order of red, green, blue.
  public var peaks: [Peak] {
    counts.enumerated()
      .filter { Int($0.element) > total / 1000 }
      .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
      .map { box, count in
        Peak(colour: ColorCube.centre(of: box), share: Double(count) / Double(total))
      }
  }

  private static func box(of colour: RGBA) -> Int {
    Int(colour.red & 0xE0) << 1 | Int(colour.green & 0xE0) >> 2 | Int(colour.blue) >> 5
  }

  private static func centre(of box: Int) -> RGBA {
    RGBA(
      red: UInt8(box >> 6) * 32 + 16, green: UInt8(box >> 3 & 7) * 32 + 16,
      blue: UInt8(box & 7) * 32 + 16)
  }
}
