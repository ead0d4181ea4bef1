internal import Foundation
public import PerfModel

extension RunStore {
  /// Returns a store that contains one run with all its parts, as the bytes of a file.
  ///
  /// - Throws: `StoreError.notWritable` if the folder of temporary files cannot be written.
  public static func bytes(of run: Run) throws(StoreError) -> [UInt8] {
    let store = try inMemory()
    try store.save(run)
    let folder = try PrivateFolder()
    let file = folder.path + "/run.sqlite"
    try store.backUp(to: file)
    return try folder.content(of: file)
  }

  /// Imports a store that contains one run, in one transaction.
  ///
  /// - Parameters:
  ///   - bytes: The result of `bytes(of:)`.
  ///   - id: The id of the run.
  ///   - origin: The name of the storage that sent the bytes, for messages.
  /// - Returns: The numbers of items.
  /// - Throws: The errors of `importContent(of:)`; `notImportable` if the bytes contain anything else.
  public func importBytes(
    _ bytes: [UInt8], ofRun id: String, from origin: String
  ) throws(StoreError) -> StoreTransfer {
    let folder = try PrivateFolder()
    let file = folder.path + "/run.sqlite"
    try folder.write(bytes, to: file)
    do throws(StoreError) {
      let source = try ImportSource(path: file)
      guard try source.store.headers().map(\.id) == [id], try source.store.comparisons().isEmpty,
        try source.store.decisions().isEmpty
      else { throw StoreError.notImportable(path: file, cause: "it contains other items") }
      return try importContent(of: source)
    } catch {
      guard case .notImportable(_, let cause) = error else { throw error }
      throw .notImportable(path: "run \(id) of \(origin)", cause: cause)
    }
  }
}

/// A folder of temporary files that only this user can read, removed together with the value.
private final class PrivateFolder {
  let path: String

  /// Creates the folder.
  ///
  /// - Throws: `StoreError.notWritable`.
  init() throws(StoreError) {
    path = FileManager.default.temporaryDirectory.path + "/perfkit-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .notWritable(path: path, cause: ErrorReason.clause(error.localizedDescription))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func content(of file: String) throws(StoreError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw .notReadable(path: file, cause: "the temporary file disappeared")
    }
    return [UInt8](data)
  }

  func write(_ bytes: [UInt8], to file: String) throws(StoreError) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: file))
    } catch {
      throw .notWritable(path: file, cause: ErrorReason.clause(error.localizedDescription))
    }
  }
}
