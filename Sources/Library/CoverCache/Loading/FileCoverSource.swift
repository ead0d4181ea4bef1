internal import Glibc

/// A folder of cover files; the key is the file's name.
public struct FileCoverSource: CoverSource {
  /// The folder's path.
  public let directory: String

  /// Creates a source for a folder, which is not accessed before the first request.
  public init(directory: String) { self.directory = directory }

  /// Reads the file of a cover.
  ///
  /// A key that is no file name or would leave the folder throws ``CoverError/notFound(cover:)``.
  /// A named pipe or a file of more than 512 MiB throws ``CoverError/unreadable(path:code:)``.
  public func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    guard !key.isEmpty, key != ".", key != "..", !key.utf8.contains(where: { $0 == 0 || $0 == 47 })
    else { throw .notFound(cover: key) }
    let path = "\(directory)/\(key)"
    do {
      return try readFile(path, limit: Self.mostBytes)
    } catch {
      guard error.code != ENOENT else { throw .notFound(cover: key) }
      throw .unreadable(path: path, code: error.code)
    }
  }

  /// The limit of a file in bytes: 5 for each pixel of the largest picture that decoders accept.
  private static let mostBytes = 1 << 29
}
