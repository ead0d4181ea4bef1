/// A source of encoded covers: a folder, an archive or a server.
public protocol CoverSource: Sendable {
  /// Returns the encoded bytes of a cover.
  ///
  /// Loader threads call this concurrently; it may block.
  ///
  /// - Parameter key: The cover's name.
  /// - Returns: The whole file, without any validation.
  /// - Throws: ``CoverError/notFound(cover:)``, ``CoverError/unreadable(path:code:)``.
  func encodedCover(for key: String) throws(CoverError) -> [UInt8]
}
