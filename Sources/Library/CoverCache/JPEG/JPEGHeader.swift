/// The size and kind of a JPEG file, from its header.
public struct JPEGHeader: Hashable, Sendable {
  /// The size of the whole picture.
  public let size: PixelSize
  /// Whether the picture is stored in several scans, coarse to fine.
  public let isProgressive: Bool

  /// The working memory of a decode without its result, in bytes, at the usual 4:2:0.
  ///
  /// A progressive file needs all its coefficients at once, however small the result: two bytes for
  /// each of 1.5 values per pixel. A baseline file needs a few rows.
  public var workingBytes: Int { isProgressive ? size.width * size.height * 3 : size.width * 64 }

  /// Returns whether the start-of-frame marker is SOF2, SOF6, SOF10 or SOF14.
  ///
  /// libturbojpeg's header function does not report this.
  static func isProgressive(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      var markers = JPEGMarkers(bytes)
      while let marker = markers.next() {
        switch marker {
        case 0x01, 0xD0...0xD8: continue
        case 0xD9, 0xDA: return false
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker): return marker & 0x03 == 0x02
        default: guard markers.segment() != nil else { return false }
        }
      }
      return false
    }
  }
}
