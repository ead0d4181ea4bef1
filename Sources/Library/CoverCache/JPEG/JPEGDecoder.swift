internal import CTurboJPEG

/// Decodes JPEG files to pixels, at full size or scaled down during decoding.
///
/// Scaling happens in libjpeg-turbo's inverse DCT, which makes 1x1 to 7x7 pixels of each 8x8 block.
/// At 1/8 it takes a sixty-fourth of the memory and three fifths of the time; entropy decoding is
/// the rest.
public struct JPEGDecoder: Sendable {
  /// The largest number of pixels; larger pictures are refused before memory is allocated.
  public let maximumPixels: Int

  /// Creates a decoder whose default limit is four times the largest covers.
  public init(maximumPixels: Int = 100_000_000) { self.maximumPixels = maximumPixels }

  /// Reads the size and kind of a JPEG without decoding it.
  ///
  /// `bytes` are the whole file; `cover` is the cover's name for errors.
  ///
  /// - Throws: ``CoverError/notJPEG(cover:reason:)``, ``CoverError/damaged(cover:reason:)``,
  ///   ``CoverError/tooLarge(cover:size:limit:)``, ``CoverError/unsupported(cover:reason:)``.
  public func header(of bytes: [UInt8], cover: String) throws(CoverError) -> JPEGHeader {
    try TurboDecompressor(cover: cover).header(of: bytes, maximumPixels: maximumPixels)
  }

  /// Decodes the whole picture at full size.
  ///
  /// - Throws: As ``header(of:cover:)``, and ``CoverError/outOfMemory(bytes:)``.
  public func decode(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    let decompressor = try TurboDecompressor(cover: cover)
    let header = try decompressor.header(of: bytes, maximumPixels: maximumPixels)
    return try decompressor.decode(bytes, scaledTo: header.size)
  }

  /// Decodes a picture and scales it down to fit a box; never enlarges it.
  ///
  /// The smallest scaled decode that covers ``PixelSize/fitted(into:)`` is averaged down to the
  /// exact size.
  ///
  /// - Throws: As ``decode(_:cover:)``, and ``CoverError/invalidSize(_:)`` for an empty box.
  public func decode(
    _ bytes: [UInt8], fitting box: PixelSize, cover: String
  ) throws(CoverError) -> PixelBuffer {
    let (picture, target) = try decodeCoarsely(bytes, covering: box, cover: cover)
    return try picture.scaledDown(to: target)
  }

  /// Decodes a picture at the smallest scale that covers the size fitted into a box.
  ///
  /// No filter follows, so the sides are up to eight times as long as in
  /// ``PixelSize/fitted(into:)``. Use it for colour statistics, not for display.
  ///
  /// - Throws: As ``decode(_:fitting:cover:)``.
  public func decode(
    _ bytes: [UInt8], covering box: PixelSize, cover: String
  ) throws(CoverError) -> PixelBuffer {
    try decodeCoarsely(bytes, covering: box, cover: cover).picture
  }

  /// Returns a picture of an eighth of the size, rounded up, whose pixels are means of 8x8 blocks.
  ///
  /// Use it for colour statistics. The result is that of a 1/8 decode, except for colour details in
  /// files with subsampled chroma. It takes half the time, and a tenth for a progressive file, of
  /// which only the first scans are read.
  ///
  /// - Throws: As ``decode(_:cover:)``. A progressive file may be truncated after its first scans.
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

  /// Returns the smallest size of a scaled inverse DCT that covers a target.
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

/// A libturbojpeg decompressor that reports failures as ``CoverError``.
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
    JPEGHeader(
      size: try layout(of: bytes, maximumPixels: maximumPixels).size,
      isProgressive: JPEGHeader.isProgressive(bytes))
  }

  /// Reads and checks the size, the subsampling and the colour space.
  func layout(
    of bytes: [UInt8], maximumPixels: Int
  ) throws(CoverError) -> (size: PixelSize, subsampling: Int32, space: Int32) {
    guard bytes.starts(with: [0xFF, 0xD8]) else {
      throw .notJPEG(cover: cover, reason: "it does not begin with the bytes FF D8")
    }
    var (width, height, subsampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let status = tjDecompressHeader3(
      handle, bytes, UInt(bytes.count), &width, &height, &subsampling, &space)
    guard status == 0 else { throw .damaged(cover: cover, reason: reason) }
    let size = PixelSize(width: Int(width), height: Int(height))
    guard size.width > 0, size.height > 0 else {
      // For a file that ends before its frame header, libturbojpeg reports success and 0x0.
      throw .damaged(cover: cover, reason: "it ends before the picture begins")
    }
    guard size.width * size.height <= maximumPixels else {
      throw .tooLarge(cover: cover, size: size, limit: maximumPixels)
    }
    guard space != TJCS_CMYK.rawValue, space != TJCS_YCCK.rawValue else {
      throw .unsupported(cover: cover, reason: "its colours are CMYK")
    }
    return (size, subsampling, space)
  }

  /// Decodes to a size returned by ``JPEGDecoder/decodedSize(of:covering:)``.
  func decode(_ bytes: [UInt8], scaledTo size: PixelSize) throws(CoverError) -> PixelBuffer {
    // TJFLAG_LIMITSCANS: a file of a few kB can contain thousands of scans, each as expensive as
    // the picture.
    try PixelBuffer(size: size) { output throws(CoverError) in
      let status = tjDecompress2(
        handle, bytes, UInt(bytes.count), output.baseAddress, Int32(size.width), 0,
        Int32(size.height), TJPF_RGBA.rawValue, TJFLAG_LIMITSCANS)
      guard status == 0 || isHarmlessWarning(bytes) else {
        throw .damaged(cover: cover, reason: reason)
      }
    }
  }

  /// Returns whether the failure is libturbojpeg's warning of stray bytes between two markers.
  ///
  /// Some cameras write such files. Every other warning ("premature end", "bad Huffman code") means
  /// that a part of the picture is grey. libturbojpeg reports only the first warning, so a file
  /// that is also truncated is detected by its missing end marker.
  func isHarmlessWarning(_ bytes: [UInt8]) -> Bool {
    tjGetErrorCode(handle) == TJERR_WARNING.rawValue && reason.contains("extraneous bytes")
      && bytes.suffix(2).elementsEqual([0xFF, 0xD9])
  }
}
