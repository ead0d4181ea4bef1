internal import Foundation

/// A folder of its own for a test; it goes away with the value.
public final class TemporaryFolder: Sendable {
  /// The absolute path.
  public let path: String

  private let outermost: String

  /// Makes the folder.
  ///
  /// - Parameter name: The last part of its path; nil for one that nothing else has.
  /// - Throws: When it cannot be made.
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

  /// Returns the path of a name inside.
  public func callAsFunction(_ name: String) -> String {
    path + "/" + name
  }
}
