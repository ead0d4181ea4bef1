/// Makes photos ready to be sent: no side longer than a limit, and encoded again.
///
/// A photo is scaled while it is decoded, so its pixels are never in memory all at once.
public struct UploadPreparation: Sendable {
  /// The most pixels of a side; the case study's.
  public var longestSide = 1_920
  /// The quality, 1 to 100, at which the photo is encoded; the case study's.
  public var quality = 85
  private let decoder: JPEGDecoder

  /// Makes the case study's preparation.
  ///
  /// - Parameter decoder: What decodes, and its limit.
  public init(decoder: JPEGDecoder = JPEGDecoder()) { self.decoder = decoder }

  /// Prepares a photo.
  ///
  /// - Parameters:
  ///   - bytes: The whole JPEG file.
  ///   - name: What errors carry.
  /// - Returns: A whole JPEG file, of the same shape.
  /// - Throws: ``CoverError``: what the decoder or the encoder said.
  public func prepare(_ bytes: [UInt8], name: String) throws(CoverError) -> [UInt8] {
    let box = PixelSize(width: longestSide, height: longestSide)
    return try JPEGEncoder(quality: quality)
      .encode(try decoder.decode(bytes, fitting: box, cover: name))
  }
}
