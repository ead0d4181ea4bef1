/// Prepares photos for upload: limits their sides and encodes them again.
///
/// A photo is scaled during decoding, so its full pixels are never all in memory.
public struct UploadPreparation: Sendable {
  /// The most pixels per side; the default is the case study's.
  public var longestSide = 1_920

  /// Creates the case study's preparation.
  public init() {}

  /// Encodes a photo again as a whole JPEG file of the same shape, with the case study's quality.
  ///
  /// The new file has upright sRGB pixels and neither Exif data nor a colour profile, so that every
  /// receiver shows it alike.
  ///
  /// - Throws: ``CoverError``, from the decoder or the encoder.
  public func prepare(_ bytes: [UInt8], name: String) throws(CoverError) -> [UInt8] {
    let box = PixelSize(width: longestSide, height: longestSide)
    return try JPEGEncoder(quality: 85)
      .encode(try JPEGDecoder().decode(bytes, fitting: box, cover: name))
  }
}
