public import CoverCache

/// A histogram of all pixels of a picture, against which palettes are measured.
///
/// It has 32x32x32 boxes of RGB with the exact sums of their pixels. A box of the coarser cubes is a
/// union of these boxes, so a reference gives the same counts as the pixels.
public struct ColorReference: Sendable, Equatable {
  /// The sums of red, green and blue, and the number of pixels, of each box that has pixels.
  let boxes: [SIMD4<UInt64>]
  /// The boxes of the picture after it is averaged to the size at which shades are counted.
  let shades: [SIMD4<UInt64>]
  /// The mean colour of each of ``boxes`` in OKLab.
  private let places: [OKLab]

  /// Counts the pixels of a picture.
  ///
  /// - Complexity: O(pixels) time, 1 MiB of memory.
  public init(of picture: PixelBuffer) {
    self.init(boxes: Self.boxes(of: picture), shades: Self.boxes(of: picture.shades))
  }

  private init(boxes: [SIMD4<UInt64>], shades: [SIMD4<UInt64>]) {
    self.boxes = boxes
    self.shades = shades
    places = boxes.map { OKLab(Self.mean(of: $0)) }
  }

  private static func boxes(of picture: PixelBuffer) -> [SIMD4<UInt64>] {
    var sums = [SIMD4<UInt64>](repeating: .zero, count: 1 << 15)
    picture.withPixels { pixels in
      for index in pixels.indices {
        let pixel = pixels[index]
        let box = Int(pixel.red & 0xF8) << 7 | Int(pixel.green & 0xF8) << 2 | Int(pixel.blue) >> 3
        sums[box] &+= SIMD4(UInt64(pixel.red), UInt64(pixel.green), UInt64(pixel.blue), 1)
      }
    }
    return sums.filter { $0.w > 0 }
  }

  /// The number of pixels.
  public var pixelCount: Int { Int(boxes.reduce(0) { $0 + $1.w }) }

  /// Returns the mean OKLab distance from a pixel to the nearest of some colours.
  ///
  /// Black and white are 1 apart. The pixels of a box count as its mean. Without colours or without
  /// pixels the result is 0.
  ///
  /// - Complexity: O(boxes x colours) time.
  public func distance(toNearestOf colours: some Sequence<RGBA>) -> Double {
    let targets = colours.map { OKLab($0) }
    var sum = 0.0
    for (box, place) in zip(boxes, places) {
      sum += Double(box.w) * (targets.map { $0.distance(to: place) }.min() ?? 0)
    }
    return sum / max(1, Double(pixelCount))
  }

  /// Returns the share of the pixels, 0 to 1, that are within an OKLab distance of a colour.
  public func share(within distance: Double, of colour: RGBA) -> Double {
    let target = OKLab(colour)
    let near = zip(boxes, places).filter { $1.distance(to: target) <= distance }
    return Double(near.reduce(0) { $0 + $1.0.w }) / max(1, Double(pixelCount))
  }

  static func mean(of box: SIMD4<UInt64>) -> RGBA {
    let mean = (box &+ SIMD4(repeating: box.w / 2)) / box.w
    return RGBA(red: UInt8(mean.x), green: UInt8(mean.y), blue: UInt8(mean.z))
  }
}

extension ColorReference {
  /// The number of ``boxes``, and all boxes: numbers of 64 bits in little-endian order.
  package var bytes: [UInt8] {
    let numbers = [UInt64(boxes.count)] + (boxes + shades).flatMap { [$0.x, $0.y, $0.z, $0.w] }
    return numbers.flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// Reads the format of ``bytes``; nil if they are damaged.
  package init?(bytes: [UInt8]) {
    guard bytes.count % 32 == 8 else { return nil }
    let numbers = stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let all = stride(from: 1, to: numbers.count, by: 4).map { start in
      SIMD4(numbers[start], numbers[start + 1], numbers[start + 2], numbers[start + 3])
    }
    let areWhole = all.allSatisfy { box in
      (1..<1 << 48).contains(box.w) && max(box.x, box.y, box.z) <= 255 * box.w
    }
    guard areWhole, numbers[0] <= UInt64(all.count) else { return nil }
    let count = Int(numbers[0])
    self.init(boxes: Array(all[..<count]), shades: Array(all[count...]))
  }
}

extension ColorCounting {
  /// Counts the pixels of a reference.
  ///
  /// - Returns: The same peaks as for the pixels.
  public func peaks(of reference: ColorReference) -> [ColorPeak] {
    switch self {
    case .nestedCube, .flatCube: ColorCube(of: reference.boxes).peaks
    case .meanCube: MeanCube(of: reference.boxes).peaks
    }
  }

  /// Counts the pixels of a picture that is averaged to the size of shades.
  ///
  /// A limit for the pixels of a box would make the colours depend on small differences. Boxes of
  /// ``meanCube`` have none, because averaging has removed the noise.
  func shades(of picture: PixelBuffer) -> [ColorPeak] {
    self == .meanCube ? MeanCube(of: picture.shades).shades : peaks(of: picture.shades)
  }

  /// Counts the pixels of a reference that is averaged to the size of shades.
  func shades(of reference: ColorReference) -> [ColorPeak] {
    switch self {
    case .nestedCube, .flatCube: ColorCube(of: reference.shades).peaks
    case .meanCube: MeanCube(of: reference.shades).shades
    }
  }
}
