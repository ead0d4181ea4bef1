/// The means of the blocks of one component, row after row.
final class JPEGPlane {
  /// Blocks from left to right, including blocks that only pad an MCU.
  let width: Int
  /// Blocks from top to bottom, including blocks that only pad an MCU.
  let height: Int
  /// The means of all blocks.
  let samples: UnsafeMutablePointer<UInt8>

  /// Creates a grey plane.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    samples = .allocate(capacity: width * height)
    samples.initialize(repeating: 128, count: width * height)
  }

  deinit { samples.deallocate() }
}

/// The colour space of three components, from the JFIF and Adobe markers.
///
/// Source: ITU T.871 and T.872. Contradictions are resolved as in libjpeg's
/// `default_decompress_parms`.
struct JPEGColors {
  private var isJFIF = false
  private var adobeTransform: UInt8?

  /// Reads the start of an APP0 or APP14 segment.
  mutating func read(_ segment: [UInt8], isAdobe: Bool) {
    // libjpeg ignores a shorter segment.
    if !isAdobe, segment.count >= 14, segment.starts(with: Array("JFIF\0".utf8)) { isJFIF = true }
    if isAdobe, segment.starts(with: Array("Adobe".utf8)), segment.count >= 12 {
      adobeTransform = segment[11]
    }
  }

  /// Returns whether three components are RGB; otherwise they are YCbCr.
  func isRGB(_ identifiers: [UInt8]) -> Bool {
    if isJFIF { return false }
    if let adobeTransform { return adobeTransform == 0 }
    return identifiers == Array("RGB".utf8)
  }
}
