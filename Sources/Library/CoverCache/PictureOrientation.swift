/// The position of a stored picture's first row and column on the display.
///
/// The values are those of the Exif tag 0112; the names are the usual ones of image libraries.
///
/// Source: CIPA DC-008-2023 (Exif 3.0), 4.6.5.1.6.
public enum PictureOrientation: UInt8, CaseIterable, Hashable, Sendable {
  /// The first row is at the top, the first column on the left.
  case up = 1
  /// The first row is at the top, the first column on the right.
  case upMirrored
  /// The first row is at the bottom, the first column on the right.
  case down
  /// The first row is at the bottom, the first column on the left.
  case downMirrored
  /// The first row is on the left, the first column at the top.
  case leftMirrored
  /// The first row is on the right, the first column at the top.
  case right
  /// The first row is on the right, the first column at the bottom.
  case rightMirrored
  /// The first row is on the left, the first column at the bottom.
  case left

  /// Whether width and height of the displayed picture are those of the stored one, exchanged.
  var exchangesSides: Bool { rawValue >= Self.leftMirrored.rawValue }

  /// Whether the first column is on the right or at the bottom.
  fileprivate var reversesColumns: Bool {
    [.upMirrored, .down, .rightMirrored, .left].contains(self)
  }

  /// Whether the first row is at the bottom or on the right.
  fileprivate var reversesRows: Bool {
    [.down, .downMirrored, .right, .rightMirrored].contains(self)
  }
}

extension PixelSize {
  /// Returns the size of the displayed picture for that of a stored one, and vice versa.
  func turned(by orientation: PictureOrientation) -> PixelSize {
    orientation.exchangesSides ? PixelSize(width: height, height: width) : self
  }
}

extension PixelBuffer {
  /// Returns a stored picture upright; with ``PictureOrientation/up`` it is this picture itself.
  ///
  /// - Throws: ``CoverError/outOfMemory(bytes:)``.
  /// - Complexity: O(pixels) time, the memory of one more picture.
  func upright(from orientation: PictureOrientation) throws(CoverError) -> PixelBuffer {
    guard orientation != .up else { return self }
    let target = size.turned(by: orientation)
    let column = orientation.reversesColumns ? -1 : 1
    let row = orientation.reversesRows ? -width : width
    let first =
      (orientation.reversesColumns ? width - 1 : 0)
      + (orientation.reversesRows ? (height - 1) * width : 0)
    let (across, down) = orientation.exchangesSides ? (row, column) : (column, row)
    return try PixelBuffer(size: target) { output in
      let pixels = output.bindMemory(to: RGBA.self)
      withUnsafeBytes { input in
        let stored = input.assumingMemoryBound(to: RGBA.self)
        // In tiles, because one of both sides is read or written a row apart.
        for top in stride(from: 0, to: target.height, by: PixelBuffer.tile) {
          for left in stride(from: 0, to: target.width, by: PixelBuffer.tile) {
            for y in top..<min(top + PixelBuffer.tile, target.height) {
              for x in left..<min(left + PixelBuffer.tile, target.width) {
                pixels[y &* target.width &+ x] = stored[first &+ x &* across &+ y &* down]
              }
            }
          }
        }
      }
    }
  }

  /// The side of a tile in pixels: 16 pixels fill a line of the CPU's cache.
  private static let tile = 16
}
