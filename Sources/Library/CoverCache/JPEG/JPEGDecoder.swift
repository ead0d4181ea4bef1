/// Decodes JPEG files to pixels, at full size or scaled down during decoding.
///
/// Pictures are upright, as the file's Exif data demand, and their colours are sRGB:
/// ``JPEGHeader/profile`` names the exceptions. Every method accepts the same files.
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
    try file(bytes, cover).header
  }

  /// Decodes the whole picture at full size.
  ///
  /// - Throws: As ``header(of:cover:)``, and ``CoverError/outOfMemory(bytes:)``.
  public func decode(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    let file = try file(bytes, cover)
    return try file.decode(scaledTo: file.storedSize).upright(from: file.layout.orientation)
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
    let (picture, target, orientation) = try decodeCoarsely(bytes, covering: box, cover: cover)
    return try picture.scaledDown(to: target).upright(from: orientation)
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
    let (picture, _, orientation) = try decodeCoarsely(bytes, covering: box, cover: cover)
    return try picture.upright(from: orientation)
  }

  /// Returns a picture of an eighth of the size, rounded up, whose pixels are means of 8x8 blocks.
  ///
  /// Use it for colour statistics. The result is that of a 1/8 decode, except for colour details in
  /// files with subsampled chroma. It takes less time, above all for a progressive file.
  ///
  /// - Throws: As ``decode(_:cover:)``.
  public func decodeMosaic(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    let file = try file(bytes, cover)
    let picture =
      if let mosaic = file.mosaic() {
        try mosaic.picture(file.conversion)
      } else {
        try file.decode(scaledTo: JPEGDecoder.decodedSize(of: file.storedSize, eighths: 1))
      }
    return try picture.upright(from: file.layout.orientation)
  }

  func file(_ bytes: [UInt8], _ cover: String) throws(CoverError) -> JPEGFile {
    try JPEGFile(bytes, cover: cover, maximumPixels: maximumPixels)
  }

  /// Decodes a picture and the size fitted into a box, both as stored.
  private func decodeCoarsely(
    _ bytes: [UInt8], covering box: PixelSize, cover: String
  ) throws(CoverError) -> (picture: PixelBuffer, target: PixelSize, PictureOrientation) {
    guard box.width > 0, box.height > 0 else { throw .invalidSize(box) }
    let file = try file(bytes, cover)
    let orientation = file.layout.orientation
    let target = file.storedSize.fitted(into: box.turned(by: orientation))
    let coarse = JPEGDecoder.decodedSize(of: file.storedSize, covering: target)
    return (try file.decode(scaledTo: coarse), target, orientation)
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
