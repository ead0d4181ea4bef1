/// Prepares photos for upload: limits their sides and encodes them again.
///
/// A photo is scaled during decoding, so its full pixels are never all in memory.
public struct UploadPreparation: Sendable {
  /// The most pixels per side; the default is the case study's.
  public var longestSide = 1_920
  /// The JPEG quality, 1 to 100; the default is the case study's.
  public var quality = 85
  private let decoder: JPEGDecoder

  /// Creates the case study's preparation.
  ///
  /// - Parameter decoder: The decoder with its pixel limit.
  public init(decoder: JPEGDecoder = JPEGDecoder()) { self.decoder = decoder }

  /// Prepares a photo.
  ///
  /// - Parameters:
  ///   - bytes: The whole JPEG file.
  ///   - name: The photo's name, for errors.
  /// - Returns: A whole JPEG file of the same shape.
  /// - Throws: ``CoverError``, from the decoder or the encoder.
  public func prepare(_ bytes: [UInt8], name: String) throws(CoverError) -> [UInt8] {
    let box = PixelSize(width: longestSide, height: longestSide)
    return try JPEGEncoder(quality: quality)
      .encode(try decoder.decode(bytes, fitting: box, cover: name))
  }
}
