import Foundation
import PerfTestSupport

extension TemporaryFolder {
  /// The sorted names in the folder, without the lock file of a disk tier.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { $0 != ".lock" }
  }

  /// The bytes of all files together.
  var byteCount: Int { names.reduce(0) { $0 + (read($1)?.count ?? 0) } }

  func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: self(name)).map { Array($0) }
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: self(name)))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: self(name))
  }

  func make() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func removeAll() throws { try FileManager.default.removeItem(atPath: path) }
}
