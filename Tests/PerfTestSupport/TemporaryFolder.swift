internal import Foundation

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
    try? FileManager.default.removeItem(atPath: outermost)
  }

  /// Returns the path of a name in the folder.
  public func callAsFunction(_ name: String) -> String {
    path + "/" + name
  }
}
