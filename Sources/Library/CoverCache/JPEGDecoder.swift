internal import CTurboJPEG

/// Turns JPEG bytes into pixels, whole or scaled down while they are decoded.
///
/// Scaling is done by libjpeg-turbo's inverse DCT, which then makes 1x1 to 7x7 pixels of each 8x8
/// block: a sixty-fourth of the memory at 1/8, and three fifths of the time (entropy decoding is
/// the rest).
public struct JPEGDecoder: Sendable {
  /// Pictures of more pixels are refused before memory is taken for them.
  public let maximumPixels: Int

  /// Makes a decoder.
  ///
  /// - Parameter maximumPixels: Width times height; the default is four times the largest covers.
  public init(maximumPixels: Int = 100_000_000) {
    self.maximumPixels = maximumPixels
  }

  /// Reads the size and the kind of a JPEG without decoding it.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - cover: The name that errors carry.
  /// - Returns: Its size and kind.
  /// - Throws: ``CoverError/notJPEG(cover:reason:)``, ``CoverError/damaged(cover:reason:)``,
  ///   ``CoverError/tooLarge(cover:size:limit:)``, ``CoverError/unsupported(cover:reason:)``.
  public func header(of bytes: [UInt8], cover: String) throws(CoverError) -> JPEGHeader {
    try TurboDecompressor(cover: cover).header(of: bytes, maximumPixels: maximumPixels)
  }

  /// Decodes the whole picture.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - cover: The name that errors carry.
  /// - Returns: Every pixel of it.
  /// - Throws: As ``header(of:cover:)``, and ``CoverError/outOfMemory(bytes:)``.
  public func decode(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    let decompressor = try TurboDecompressor(cover: cover)
    let header = try decompressor.header(of: bytes, maximumPixels: maximumPixels)
    return try decompressor.decode(bytes, scaledTo: header.size)
  }

  /// Decodes a picture so that it fits a box, never larger than it is.
  ///
  /// The smallest scaled decode that covers the target is averaged down to the exact size.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - box: The size to fit into; both sides at least one.
  ///   - cover: The name that errors carry.
  /// - Returns: A picture of ``PixelSize/fitted(into:)``.
  /// - Throws: As ``decode(_:cover:)``, and ``CoverError/invalidSize(_:)`` for an empty box.
  public func decode(
    _ bytes: [UInt8], fitting box: PixelSize, cover: String
  ) throws(CoverError) -> PixelBuffer {
    let (picture, target) = try decodeCoarsely(bytes, covering: box, cover: cover)
    return try picture.scaledDown(to: target)
  }

  /// Decodes a picture with the smallest scaled decode that still covers what fits a box.
  ///
  /// No filter follows, so the sides are up to eight times those of ``PixelSize/fitted(into:)``: for
  /// statistics over colours, not for display.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - box: The size to cover; both sides at least one.
  ///   - cover: The name that errors carry.
  /// - Returns: A picture that is no smaller than what fits the box.
  /// - Throws: As ``decode(_:fitting:cover:)``.
  public func decode(
    _ bytes: [UInt8], covering box: PixelSize, cover: String
  ) throws(CoverError) -> PixelBuffer {
    try decodeCoarsely(bytes, covering: box, cover: cover).picture
  }

  /// Returns a picture with a pixel for each block of 8x8: its mean.
  ///
  /// For statistics over colours. It is what the 1/8 decode gives, but for the details of colour
  /// that a file holds at half resolution, in half of its time; of a progressive file, which is read
  /// no further than its first scans, in a tenth.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - cover: The name that errors carry.
  /// - Returns: A picture of an eighth of the width and height, rounded up.
  /// - Throws: As ``decode(_:cover:)``; a progressive file may break off behind its first scans.
  public func decodeMosaic(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    let decompressor = try TurboDecompressor(cover: cover)
    let header = try decompressor.header(of: bytes, maximumPixels: maximumPixels)
    let mosaic = bytes.withUnsafeBufferPointer { bytes in
      var reader = JPEGMosaicReader(bytes)
      return reader.read()
    }
    if let mosaic, mosaic.frame.size == header.size { return try mosaic.picture() }
    let size = JPEGDecoder.decodedSize(of: header.size, eighths: 1)
    return try decompressor.decode(bytes, scaledTo: size)
  }

  private func decodeCoarsely(
    _ bytes: [UInt8], covering box: PixelSize, cover: String
  ) throws(CoverError) -> (picture: PixelBuffer, target: PixelSize) {
    guard box.width > 0, box.height > 0 else { throw .invalidSize(box) }
    let decompressor = try TurboDecompressor(cover: cover)
    let header = try decompressor.header(of: bytes, maximumPixels: maximumPixels)
    let target = header.size.fitted(into: box)
    let coarse = JPEGDecoder.decodedSize(of: header.size, covering: target)
    return (try decompressor.decode(bytes, scaledTo: coarse), target)
  }

  /// Returns the smallest size that a scaled inverse DCT makes and that covers a target.
  ///
  /// libjpeg-turbo scales by eighths and rounds up.
  static func decodedSize(of full: PixelSize, covering target: PixelSize) -> PixelSize {
    for eighths in 1..<8 {
      let size = decodedSize(of: full, eighths: eighths)
      if size.width >= target.width, size.height >= target.height { return size }
    }
    return full
  }

  private static func decodedSize(of full: PixelSize, eighths: Int) -> PixelSize {
    PixelSize(width: (full.width * eighths + 7) / 8, height: (full.height * eighths + 7) / 8)
  }
}

/// A decompressor of libturbojpeg, with its reasons made errors.
struct TurboDecompressor: ~Copyable {
  let handle: tjhandle
  let cover: String

  init(cover: String) throws(CoverError) {
    guard let handle = tjInitDecompress() else {
      throw .damaged(cover: cover, reason: String(cString: tjGetErrorStr2(nil)))
    }
    self.handle = handle
    self.cover = cover
  }

  deinit { tjDestroy(handle) }

  var reason: String { String(cString: tjGetErrorStr2(handle)) }

  func header(of bytes: [UInt8], maximumPixels: Int) throws(CoverError) -> JPEGHeader {
    guard bytes.starts(with: [0xFF, 0xD8]) else {
      throw .notJPEG(cover: cover, reason: "it does not begin with the bytes FF D8")
    }
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var space: Int32 = 0
    let status = tjDecompressHeader3(
      handle, bytes, UInt(bytes.count), &width, &height, &subsampling, &space)
    guard status == 0 else { throw .damaged(cover: cover, reason: reason) }
    let size = PixelSize(width: Int(width), height: Int(height))
    guard size.width > 0, size.height > 0 else {
      // What libturbojpeg says of a file that ends before its frame begins: success, and 0x0.
      throw .damaged(cover: cover, reason: "it ends before the picture begins")
    }
    guard size.width * size.height <= maximumPixels else {
      throw .tooLarge(cover: cover, size: size, limit: maximumPixels)
    }
    guard space != TJCS_CMYK.rawValue, space != TJCS_YCCK.rawValue else {
      throw .unsupported(cover: cover, reason: "its colours are CMYK")
    }
    return JPEGHeader(size: size, isProgressive: JPEGHeader.isProgressive(bytes))
  }

  /// Decodes to a size that ``JPEGDecoder/decodedSize(of:covering:)`` returned.
  func decode(_ bytes: [UInt8], scaledTo size: PixelSize) throws(CoverError) -> PixelBuffer {
    // LIMITSCANS: a file of a few kB can hold thousands of scans, each one as dear as the picture.
    try PixelBuffer(size: size) { output throws(CoverError) in
      let status = tjDecompress2(
        handle, bytes, UInt(bytes.count), output.baseAddress, Int32(size.width), 0,
        Int32(size.height), TJPF_RGBA.rawValue, TJFLAG_LIMITSCANS)
      guard status == 0 || isHarmlessWarning(bytes) else {
        throw .damaged(cover: cover, reason: reason)
      }
    }
  }

  /// Whether the failure is libturbojpeg's warning of stray bytes between two markers.
  ///
  /// Cameras write such files. Every other warning ("premature end", "bad Huffman code") means that
  /// a part of the picture is grey. Only the first warning is told, so a file that also breaks off
  /// is found by its missing end marker.
  func isHarmlessWarning(_ bytes: [UInt8]) -> Bool {
    tjGetErrorCode(handle) == TJERR_WARNING.rawValue && reason.contains("extraneous bytes")
      && bytes.suffix(2).elementsEqual([0xFF, 0xD9])
  }
}
