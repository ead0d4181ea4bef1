internal import Foundation

/// A folder of its own for a test; it goes away with the value.
public final class TemporaryFolder: Sendable {
  /// The absolute path.
  public let path: String

  /// Makes the folder.
  ///
  /// - Throws: When it cannot be made.
  public init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("perfkit-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a name inside.
  public func callAsFunction(_ name: String) -> String {
    path + "/" + name
  }
}
