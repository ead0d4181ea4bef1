internal import Foundation
internal import GRDB
internal import Synchronization

/// A library of books in one SQLite file: works, their editions, and the reader's entries.
///
/// All calls are synchronous and may come from any thread. With the write-ahead log, reads continue
/// while another thread writes. Between calls, memory holds only SQLite's page cache and, if
/// configured, user entries.
public final class LibraryStore: Sendable {
  /// The access mode of a library.
  public enum Access: Hashable, Sendable {
    /// Reading and writing; a missing file is created.
    case create
    /// Reading and writing; the file must exist.
    case existing
    /// Reading only; the file must exist and have the configured schema.
    case readOnly
  }

  /// The path of the file.
  public let path: String
  /// The storage and query strategies.
  public let configuration: LibraryConfiguration
  /// The log of slow operations, if there is one.
  public let slowOperations: SlowOperationLog?
  let writer: any DatabaseWriter
  /// The connection for queries about one work, opened at the first of them.
  private let lookups = Mutex(Lookups())
  let entryCache = UserEntryCache()

  /// Opens a library, and migrates an older one to the configured schema.
  ///
  /// SQLite puts its log beside the file, with the suffixes `-wal` and `-shm`.
  ///
  /// - Throws: `missing`, `notADatabase`, `notALibrary`, `newerSchema`, `otherSchema`, `readOnly`,
  ///   `locked` or `unreadable`. A failed migration changes nothing.
  public init(
    path: String, configuration: LibraryConfiguration = .optimised, access: Access = .create,
    slowOperations: SlowOperationLog? = nil
  ) throws(LibraryError) {
    var isDirectory: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    if isDirectory.boolValue {
      throw LibraryError.unreadable(path: path, reason: "it is a folder")
    }
    if !exists, access != .create { throw LibraryError.missing(path: path) }

    self.path = path
    self.configuration = configuration
    self.slowOperations = slowOperations
    do {
      writer = try Self.connect(path: path, configuration: configuration, access: access)
      try Self.bring(writer, at: path, to: configuration.schema, access: access)
    } catch {
      throw LibraryError(error, path: path)
    }
  }

  /// Writes the log back into the database file and closes it; later calls fail.
  ///
  /// - Throws: `locked` while another thread or process uses the library.
  public func close() throws(LibraryError) {
    try guarding {
      if configuration.journal == .writeAheadLog, !writer.configuration.readonly {
        _ = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      }
      try lookups.withLock { lookups in
        lookups.isClosed = true
        try lookups.connection?.close()
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

  private struct Lookups {
    var connection: DatabaseQueue?
    var isClosed = false
  }

  // MARK: - Support of the extensions

  /// Runs a closure with a reading connection.
  func read<T>(_ body: (Database) throws -> T) throws(LibraryError) -> T {
    try guarding { try writer.read(body) }
  }

  /// Runs a closure of one statement on a separate reading connection without a transaction.
  ///
  /// One statement always sees one state of the database. The reader pool would take longer than
  /// the answer: it begins and ends a transaction and checks the schema version, each with file
  /// locks.
  func readOnce<T>(_ body: (Database) throws -> T) throws(LibraryError) -> T {
    try guarding {
      guard let connection = try lookupConnection() else { return try writer.unsafeRead(body) }
      return try connection.unsafeRead(body)
    }
  }

  /// Returns the connection for queries about one work, or nil to use the writer's.
  ///
  /// With any journal but the write-ahead log, a second connection would wait for the writer.
  private func lookupConnection() throws -> DatabaseQueue? {
    guard configuration.journal == .writeAheadLog else { return nil }
    return try lookups.withLock { lookups in
      if let connection = lookups.connection { return connection }
      guard !lookups.isClosed else { return nil }
      let connection = try Self.connectForLookups(path: path, configuration: configuration)
      lookups.connection = connection
      return connection
    }
  }

  /// Measures the time of a query if there is a log.
  func timing<Answer>(
    _ kind: SlowOperation.Kind, ofWork workID: Int64, _ ask: () throws(LibraryError) -> Answer
  ) throws(LibraryError) -> Answer {
    guard let slowOperations else { return try ask() }
    return try slowOperations.timing(kind, ofWork: workID, ask)
  }

  /// Runs a closure in one transaction, which an error rolls back.
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
    // This check comes first, because enabling the write-ahead log already writes to the file.
    options.prepareDatabase { database in
      let id = try Int32.fetchOne(database, sql: "PRAGMA application_id")
      guard id != LibrarySchema.applicationID else { return }
      let isEmpty = try Row.fetchOne(database, sql: "SELECT 1 FROM sqlite_schema LIMIT 1") == nil
      guard isEmpty, access == .create else { throw LibraryError.notALibrary(path: path) }
    }
    let writer: any DatabaseWriter =
      switch configuration.journal {
      case .writeAheadLog: try DatabasePool(path: path, configuration: options)
      case .rollback, .truncate, .persist, .memory:
        try DatabaseQueue(path: path, configuration: options)
      }
    if access != .readOnly { try commit(writer, as: configuration, at: path) }
    return writer
  }

  private static func connectForLookups(
    path: String, configuration: LibraryConfiguration
  ) throws -> DatabaseQueue {
    var options = Configuration()
    options.label = "LibraryStore.lookups"
    options.readonly = true
    options.busyMode = .timeout(configuration.busyTimeoutSeconds)
    options.prepareDatabase { database in
      try database.execute(sql: "PRAGMA mmap_size = \(mappedBytes)")
    }
    return try DatabaseQueue(path: path, configuration: options)
  }

  /// The size of the file mapping for look-ups, in which reads need no system call.
  ///
  /// SQLite's page cache holds about a thousand books. A mapping uses the system's page cache,
  /// which shrinks on demand.
  private static let mappedBytes = 1 << 28

  /// Sets the journal and synchronous modes, after the connection has applied its defaults.
  private static func commit(
    _ writer: any DatabaseWriter, as configuration: LibraryConfiguration, at path: String
  ) throws {
    try writer.writeWithoutTransaction { database in
      let wanted = configuration.journal.pragma
      let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(wanted)")
      // SQLite cannot change the journal while another process has the file open.
      guard journal == wanted else { throw LibraryError.locked(path: path) }
      try database.execute(sql: "PRAGMA synchronous = \(configuration.synchronous.rawValue)")
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
      throw LibraryError.otherSchema(path: path, found: "\(found)", wanted: "\(wanted)")
    }
    try migrator.migrate(writer, upTo: wanted.migration)
  }
}
