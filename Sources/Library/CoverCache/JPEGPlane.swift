/// The means of the blocks of one component, row after row.
final class JPEGPlane {
  /// Blocks from left to right, with those that only fill an MCU.
  let width: Int
  /// Blocks from top to bottom, with those that only fill an MCU.
  let height: Int
  /// All of them.
  let samples: UnsafeMutablePointer<UInt8>

  /// Makes a grey plane.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    samples = .allocate(capacity: width * height)
    samples.initialize(repeating: 128, count: width * height)
  }

  deinit { samples.deallocate() }
}

/// What a JPEG file says about the colours that its three components stand for.
///
/// Source: the JFIF and Adobe markers, ITU T.871 and T.872; of contradictions libjpeg's
/// `default_decompress_parms` decides.
struct JPEGColors {
  private var isJFIF = false
  private var adobeTransform: UInt8?

  /// Reads the beginning of an APP0 or APP14 segment.
  mutating func read(_ segment: [UInt8], isAdobe: Bool) {
    if !isAdobe, segment.starts(with: Array("JFIF\0".utf8)) { isJFIF = true }
    if isAdobe, segment.starts(with: Array("Adobe".utf8)), segment.count >= 12 {
      adobeTransform = segment[11]
    }
  }

  /// Whether three components are red, green and blue; otherwise they are YCbCr.
  func isRGB(_ identifiers: [UInt8]) -> Bool {
    if isJFIF { return false }
    if let adobeTransform { return adobeTransform == 0 }
    return identifiers == Array("RGB".utf8)
  }
}
