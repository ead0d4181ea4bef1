internal import Foundation
internal import GRDB

/// A library of books in one SQLite file: works, their editions, and the reader's notes.
///
/// All calls are synchronous and may come from any thread. With the write-ahead log, reads go on
/// while another thread writes. Nothing is held in memory between calls but SQLite's page cache.
public final class LibraryStore: Sendable {
  /// What a library is opened for.
  public enum Access: Hashable, Sendable {
    /// Reading and writing; a file that is not there is made.
    case create
    /// Reading and writing; the file must be there.
    case existing
    /// Reading; the file must be there and have the schema of the configuration.
    case readOnly
  }

  /// Where the file is.
  public let path: String
  /// How books are stored and found.
  public let configuration: LibraryConfiguration
  let writer: any DatabaseWriter

  /// Opens a library, and migrates an older one to the configuration's schema.
  ///
  /// - Parameters:
  ///   - path: The file; SQLite puts its log beside it, with the suffixes `-wal` and `-shm`.
  ///   - configuration: How books are stored and found.
  ///   - access: What it is opened for.
  /// - Throws: `missing`, `notADatabase`, `notALibrary`, `newerSchema`, `otherSchema`, `readOnly`,
  ///   `locked` or `unreadable`. A failed migration changes nothing.
  public init(
    path: String, configuration: LibraryConfiguration = .optimised, access: Access = .create
  ) throws(LibraryError) {
    var isDirectory: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if isDirectory.boolValue {
      throw LibraryError.unreadable(path: path, reason: "it is a folder")
    }
    if !exists, access != .create { throw LibraryError.missing(path: path) }

    self.path = path
    self.configuration = configuration
    do {
      writer = try Self.connect(path: path, configuration: configuration, access: access)
      try Self.bring(writer, at: path, to: configuration.schema, access: access)
    } catch {
      throw LibraryError(error, path: path)
    }
  }

  /// Writes the log back into the database file and closes it; any later call fails.
  ///
  /// - Throws: `locked` while another thread or process still uses it.
  public func close() throws(LibraryError) {
    try guarding {
      if configuration.journal == .writeAheadLog, !writer.configuration.readonly {
        _ = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      }
      try writer.close()
    }
  }

  /// Checks the structure of the whole file.
  ///
  /// - Throws: `notADatabase` when it is damaged.
  /// - Complexity: Reads every page.
  public func verify() throws(LibraryError) {
    let path = path
    try guarding {
      let answer = try writer.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
      guard answer == "ok" else { throw LibraryError.notADatabase(path: path) }
    }
  }

  // MARK: - Support of the extensions

  /// Runs a body on a reading connection.
  func read<T>(_ body: (Database) throws -> T) throws(LibraryError) -> T {
    try guarding { try writer.read(body) }
  }

  /// Runs a body in one transaction; an error undoes all of it.
  func write<T>(_ body: (Database) throws -> T) throws(LibraryError) -> T {
    try guarding { try writer.write(body) }
  }

  private func guarding<T>(_ body: () throws -> T) throws(LibraryError) -> T {
    do {
      return try body()
    } catch {
      throw LibraryError(error, path: path)
    }
  }

  // MARK: - Opening

  private static func connect(
    path: String, configuration: LibraryConfiguration, access: Access
  ) throws -> any DatabaseWriter {
    var options = Configuration()
    options.label = "LibraryStore"
    options.busyMode = .timeout(configuration.busyTimeoutSeconds)
    options.readonly = access == .readOnly
    // Before anything else, since turning on the log already writes to the file.
    options.prepareDatabase { database in
      let id = try Int32.fetchOne(database, sql: "PRAGMA application_id")
      guard id != LibrarySchema.applicationID else { return }
      let isEmpty = try Row.fetchOne(database, sql: "SELECT 1 FROM sqlite_schema LIMIT 1") == nil
      guard isEmpty, access == .create else { throw LibraryError.notALibrary(path: path) }
    }
    switch configuration.journal {
    case .writeAheadLog:
      return try DatabasePool(path: path, configuration: options)
    case .rollback:
      return try DatabaseQueue(path: path, configuration: options)
    }
  }

  private static func bring(
    _ writer: any DatabaseWriter, at path: String, to wanted: LibrarySchema, access: Access
  ) throws {
    let migrator = LibrarySchema.migrator
    let applied = try writer.writeWithoutTransaction { try migrator.appliedIdentifiers($0) }
    guard applied.isSubset(of: migrator.migrations) else {
      throw LibraryError.newerSchema(path: path)
    }
    let found = LibrarySchema.allCases.last { applied.contains($0.migration) }
    if found == wanted { return }
    if let found, found > wanted || access == .readOnly {
      throw LibraryError.otherSchema(
        path: path, found: found.description, wanted: wanted.description)
    }
    try migrator.migrate(writer, upTo: wanted.migration)
  }
}
