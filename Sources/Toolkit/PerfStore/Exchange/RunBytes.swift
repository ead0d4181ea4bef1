internal import Foundation
public import PerfModel

extension RunStore {
  /// Returns a store that contains one run with all its parts, as the bytes of a file.
  ///
  /// - Throws: `StoreError.notWritable` if the folder of temporary files cannot be written.
  public static func bytes(of run: Run) throws(StoreError) -> [UInt8] {
    let store = try inMemory()
    try store.save(run)
    let part = try PartFile(of: temporaryFile)
    // The part is removed after its content was read.
    defer { withExtendedLifetime(part) {} }
    try store.copy(to: part, of: part.path)
    guard let data = FileManager.default.contents(atPath: part.path) else {
      throw .notReadable(path: part.path, cause: "the temporary file disappeared")
    }
    return [UInt8](data)
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
    let part = try PartFile(of: Self.temporaryFile)
    // The part is removed after the import has closed it.
    defer { withExtendedLifetime(part) {} }
    do {
      // The file stays the locked one.
      try Data(bytes).write(to: URL(fileURLWithPath: part.path))
    } catch {
      throw .notWritable(path: part.path, cause: ErrorReason.clause(error.localizedDescription))
    }
    do throws(StoreError) {
      let source = try ImportSource(path: part.path)
      guard try source.store.headers().map(\.id) == [id], try source.store.comparisons().isEmpty,
        try source.store.decisions().isEmpty
      else { throw StoreError.notImportable(path: part.path, cause: "it contains other items") }
      return try importContent(of: source)
    } catch {
      guard case .notImportable(_, let cause) = error else { throw error }
      throw .notImportable(path: "run \(id) of \(origin)", cause: cause)
    }
  }

  /// The beginning of the names of temporary files, whose parts the next transfer removes after a kill.
  static var temporaryFile: String { FileManager.default.temporaryDirectory.path + "/perfkit-run" }
}
