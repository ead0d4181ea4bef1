internal import CoverCache

/// The RGBA pixels of an invisible screen, row by row.
///
/// Drawing is clipped to the screen. Use it on one thread.
final class Framebuffer {
  let size: PixelSize
  private let pixels: UnsafeMutableBufferPointer<UInt32>

  /// Creates a black screen.
  init(size: PixelSize) {
    self.size = size
    pixels = .allocate(capacity: size.width * size.height)
    pixels.initialize(repeating: UInt32(littleEndian: 0xFF00_0000))
  }

  deinit { pixels.deallocate() }

  func fill(_ rect: ScreenRect, with colour: RGBA) {
    fill(rect, from: colour, to: colour)
  }

  /// Fills a rectangle with a gradient from its upper to its lower edge.
  func fill(_ rect: ScreenRect, from top: RGBA, to bottom: RGBA) {
    let columns = rect.visibleColumns(of: size.width)
    guard !columns.isEmpty else { return }
    for row in rect.visibleRows(of: size.height) {
      let start = (rect.y + row) * size.width + rect.x
      let pixel = RGBA(from: top, to: bottom, share: row, of: rect.height).word
      pixels[start + columns.lowerBound..<start + columns.upperBound].update(repeating: pixel)
    }
  }

  /// Draws a picture into a rectangle.
  ///
  /// A picture of another size is scaled with the nearest pixels, like the cheapest scaling of a
  /// GPU.
  func draw(_ picture: PixelBuffer, in rect: ScreenRect) {
    let columns = rect.visibleColumns(of: size.width)
    guard !columns.isEmpty, rect.width > 0, rect.height > 0 else { return }
    picture.withUnsafeBytes { bytes in
      let source = bytes.assumingMemoryBound(to: UInt32.self)
      for row in rect.visibleRows(of: size.height) {
        let target = (rect.y + row) * size.width + rect.x
        let line = (row * picture.height / rect.height) * picture.width
        if picture.width == rect.width {
          let visible = source[line + columns.lowerBound..<line + columns.upperBound]
          _ = pixels[target + columns.lowerBound..<target + columns.upperBound].update(
            fromContentsOf: visible)
        } else {
          for column in columns {
            pixels[target + column] = source[line + column * picture.width / rect.width]
          }
        }
      }
    }
  }

  /// Returns a copy of the pixels.
  func snapshot() throws(CoverError) -> PixelBuffer {
    try PixelBuffer(size: size) { output throws(CoverError) in
      output.copyMemory(from: UnsafeRawBufferPointer(pixels))
    }
  }
}

extension RGBA {
  /// The colour in its memory format.
  fileprivate var word: UInt32 {
    UInt32(
      littleEndian: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24)
  }

  /// Mixes two colours; `share` is 0 for the first colour and `whole` for the second.
  fileprivate init(from first: RGBA, to second: RGBA, share: Int, of whole: Int) {
    func mixed(_ channel: KeyPath<RGBA, UInt8>) -> UInt8 {
      let (from, to) = (Int(first[keyPath: channel]), Int(second[keyPath: channel]))
      return UInt8(truncatingIfNeeded: from + (to - from) * share / whole)
    }
    self.init(red: mixed(\.red), green: mixed(\.green), blue: mixed(\.blue))
  }
}
