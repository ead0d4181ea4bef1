import CoverCache

/// Returns a picture whose pixels are a function of column and row.
func picture(
  _ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> RGBA
) throws(CoverError) -> PixelBuffer {
  let size = PixelSize(width: width, height: height)
  return try PixelBuffer(size: size) { bytes in
    for y in 0..<height {
      for x in 0..<width {
        bytes.storeBytes(of: pixel(x, y), toByteOffset: (y * width + x) * 4, as: RGBA.self)
      }
    }
  }
}

/// Returns a picture of one colour.
func solid(_ width: Int, _ height: Int, _ colour: RGBA) throws(CoverError) -> PixelBuffer {
  try picture(width, height) { _, _ in colour }
}

/// Returns a picture with smooth colour changes everywhere, so that a wrong scale is visible.
func gradient(_ width: Int, _ height: Int) throws(CoverError) -> PixelBuffer {
  try picture(width, height) { x, y in
    RGBA(red: UInt8(x * 255 / width), green: UInt8(y * 255 / height), blue: 128)
  }
}

/// Returns the largest difference of any channel between two pictures of one size.
func largestDifference(_ left: PixelBuffer, _ right: PixelBuffer) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in
      zip(left, right).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
  }
}

extension RGBA {
  /// Returns the largest difference of any colour between two pixels.
  func distance(to other: RGBA) -> Int {
    max(
      abs(Int(red) - Int(other.red)), abs(Int(green) - Int(other.green)),
      abs(Int(blue) - Int(other.blue)))
  }
}
