/// Where the encoded bytes of covers come from: a folder, an archive, a server.
public protocol CoverSource: Sendable {
  /// Returns the encoded bytes of a cover.
  ///
  /// Called on loader threads, several at a time; it may block.
  ///
  /// - Parameter key: The name of the cover.
  /// - Returns: The whole file, not checked in any way.
  /// - Throws: ``CoverError/notFound(cover:)``, ``CoverError/unreadable(path:code:)``.
  func encodedCover(for key: String) throws(CoverError) -> [UInt8]
}
