internal import Glibc

/// Covers as files of one folder: the key is the file's name.
public struct FileCoverSource: CoverSource {
  /// The folder.
  public let directory: String

  /// Makes a source of a folder, which is not looked at before the first cover is asked for.
  ///
  /// - Parameter directory: Its path.
  public init(directory: String) {
    self.directory = directory
  }

  /// Reads the file of a cover.
  ///
  /// A key that would lead out of the folder, or that no file name can be, is a cover that is not
  /// there.
  public func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    guard !key.isEmpty, key != ".", key != "..", !key.utf8.contains(where: { $0 == 0 || $0 == 47 })
    else { throw .notFound(cover: key) }
    let path = "\(directory)/\(key)"
    do {
      return try readFile(path)
    } catch {
      guard error.code != ENOENT else { throw .notFound(cover: key) }
      throw .unreadable(path: path, code: error.code)
    }
  }
}
