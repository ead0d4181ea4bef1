/// A source of encoded covers: a folder, an archive or a server.
public protocol CoverSource: Sendable {
  /// Returns the encoded bytes of a cover: the whole file, without any validation.
  ///
  /// Loader threads call this concurrently; it may block.
  ///
  /// - Throws: ``CoverError/notFound(cover:)``, ``CoverError/unreadable(path:code:)``.
  func encodedCover(for key: String) throws(CoverError) -> [UInt8]
}
