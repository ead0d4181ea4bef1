internal import Foundation
internal import Synchronization

/// A folder for one test, removed together with the value.
public final class TemporaryFolder: Sendable {
  /// The absolute path.
  public let path: String

  private let outermost: String

  /// Creates the folder.
  ///
  /// - Parameter name: The last part of the path; nil for a unique one.
  /// - Throws: A file error if the folder cannot be created.
  public init(named name: String? = nil) throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("perfkit-tests-\(UUID().uuidString)")
    outermost = url.path
    path = name.map { "\(url.path)/\($0)" } ?? url.path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    remove()
  }

  private static let lasting = Mutex<[TemporaryFolder]>([])

  /// Creates a folder for all tests of this process, removed at its end.
  ///
  /// - Throws: A file error if the folder cannot be created.
  public static func forAllTests() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    lasting.withLock { folders in
      // Static values are not deinitialised at the end of a process.
      if folders.isEmpty {
        atexit { TemporaryFolder.lasting.withLock { for folder in $0 { folder.remove() } } }
      }
      folders.append(folder)
    }
    return folder
  }

  private func remove() {
    try? FileManager.default.removeItem(atPath: outermost)
  }

  /// Returns the text of a file in the folder.
  ///
  /// - Throws: A file error if the file cannot be read, or is not UTF-8.
  public func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }

  /// Returns the path of a name in the folder.
  public func callAsFunction(_ name: String) -> String {
    path + "/" + name
  }
}
