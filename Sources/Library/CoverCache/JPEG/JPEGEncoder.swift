internal import CTurboJPEG

/// Encodes pixels as JPEG with chroma at half resolution (4:2:0), like most covers.
public struct JPEGEncoder: Sendable {
  /// The quality, from 1 (smallest) to 100 (best); other values are clamped.
  public let quality: Int
  /// Whether the picture is stored in several scans, coarse to fine.
  public let isProgressive: Bool

  /// Creates an encoder; the case study's disk cache uses a quality of 80.
  public init(quality: Int = 80, isProgressive: Bool = false) {
    self.quality = min(100, max(1, quality))
    self.isProgressive = isProgressive
  }

  /// Encodes a picture without its alpha channel as a whole JPEG file.
  ///
  /// - Throws: ``CoverError/notEncoded(reason:)``.
  public func encode(_ picture: PixelBuffer) throws(CoverError) -> [UInt8] {
    try picture.withUnsafeBytes { pixels throws(CoverError) in
      try encode(rgba: pixels, size: picture.size)
    }
  }

  /// Encodes pixels of four bytes each (red, green, blue, ignored), row after row without padding.
  ///
  /// A side has 1 to 65,500 pixels (a limit of libjpeg).
  ///
  /// - Throws: ``CoverError/invalidSize(_:)``, ``CoverError/notEncoded(reason:)``.
  public func encode(
    rgba pixels: UnsafeRawBufferPointer, size: PixelSize
  ) throws(CoverError) -> [UInt8] {
    let sides = 1...65_500
    guard sides.contains(size.width), sides.contains(size.height),
      pixels.count == size.width * size.height * 4
    else { throw .invalidSize(size) }
    guard let handle = tjInitCompress() else {
      throw .notEncoded(reason: String(cString: tjGetErrorStr2(nil)))
    }
    defer { tjDestroy(handle) }

    var encoded: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let status = tjCompress2(
      handle, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(size.width), 0,
      Int32(size.height), TJPF_RGBX.rawValue, &encoded, &count, Int32(TJSAMP_420.rawValue),
      Int32(quality), isProgressive ? TJFLAG_PROGRESSIVE : 0)
    defer { tjFree(encoded) }
    guard status == 0, let encoded else {
      throw .notEncoded(reason: String(cString: tjGetErrorStr2(handle)))
    }
    return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
  }
}
