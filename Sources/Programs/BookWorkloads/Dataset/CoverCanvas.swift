internal import CoverCache

/// The RGBA pixels of a cover while it is painted, row by row.
///
/// Shapes are clipped to the canvas. The canvas borrows its pixels and must not outlive them.
struct CoverCanvas {
  let size: PixelSize
  private let pixels: UnsafeMutableBufferPointer<UInt32>

  /// Creates a canvas in memory for at least `size.width * size.height` pixels.
  init(size: PixelSize, pixels: UnsafeMutableBufferPointer<UInt32>) {
    precondition(pixels.count >= size.width * size.height, "the memory is smaller than the canvas")
    self.size = size
    self.pixels = pixels
  }

  /// Returns a colour as a pixel, with red in the first byte of memory and no transparency.
  static func pixel(_ colour: CoverColor) -> UInt32 {
    let bytes = (colour.clamped(lowerBound: .zero, upperBound: .one) * 255).rounded(.down)
    let word = UInt32(bytes.x) | UInt32(bytes.y) << 8 | UInt32(bytes.z) << 16 | 0xFF00_0000
    return UInt32(littleEndian: word)
  }

  /// Calls a closure that writes the pixels of a row, from left to right.
  func withRow(_ y: Int, _ body: (UnsafeMutableBufferPointer<UInt32>) -> Void) {
    let start = y * size.width
    body(UnsafeMutableBufferPointer(rebasing: pixels[start..<start + size.width]))
  }

  func fill(x: Int, y: Int, width: Int, height: Int, with pixel: UInt32) {
    let columns = (x..<x + width).clamped(to: 0..<size.width)
    for row in (y..<y + height).clamped(to: 0..<size.height) {
      let start = row * size.width
      pixels[start + columns.lowerBound..<start + columns.upperBound].update(repeating: pixel)
    }
  }

  func fillDisc(centreX: Int, centreY: Int, radius: Int, with pixel: UInt32) {
    for offset in -radius...radius {
      let half = Int(Double(radius * radius - offset * offset).squareRoot())
      fill(x: centreX - half, y: centreY + offset, width: 2 * half + 1, height: 1, with: pixel)
    }
  }
}
