internal import Foundation
internal import GRDB
internal import Synchronization

/// A library of books in one SQLite file: works, their editions, and the reader's notes.
///
/// All calls are synchronous and may come from any thread. With the write-ahead log, reads go on
/// while another thread writes. Nothing is held in memory between calls but SQLite's page cache and,
/// where the configuration says so, user entries.
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
  /// Keeps the questions that took too long, if there is one.
  public let slowOperations: SlowOperationLog?
  let writer: any DatabaseWriter
  /// Answers questions about one work; made at the first of them, for an app that starts asks none.
  private let lookups = Mutex(Lookups())
  let entryCache = UserEntryCache()

  /// Opens a library, and migrates an older one to the configuration's schema.
  ///
  /// - Parameters:
  ///   - path: The file; SQLite puts its log beside it, with the suffixes `-wal` and `-shm`.
  ///   - configuration: How books are stored and found.
  ///   - access: What it is opened for.
  ///   - slowOperations: Keeps the questions that take too long.
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

  /// Writes the log back into the database file and closes it; any later call fails.
  ///
  /// - Throws: `locked` while another thread or process still uses it.
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

  /// Runs a body on a reading connection.
  func read<T>(_ body: (Database) throws -> T) throws(LibraryError) -> T {
    try guarding { try writer.read(body) }
  }

  /// Runs a body of one statement on a reading connection of its own, without a transaction around it.
  ///
  /// A statement sees one state of the database anyway. The pool of readers takes longer than the
  /// answer does: it begins and ends a transaction and asks for the version of the schema, each with
  /// locks of the file.
  func readOnce<T>(_ body: (Database) throws -> T) throws(LibraryError) -> T {
    try guarding {
      guard let connection = try lookupConnection() else { return try writer.unsafeRead(body) }
      return try connection.unsafeRead(body)
    }
  }

  /// Returns the connection for questions about one work, or nil where the writer's is to be taken.
  ///
  /// Beside any other journal than the log a second connection would wait for the writer.
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

  /// Times a question where there is a log.
  func timing<Answer>(
    _ kind: SlowOperation.Kind, ofWork workID: Int64, _ ask: () throws(LibraryError) -> Answer
  ) throws(LibraryError) -> Answer {
    guard let slowOperations else { return try ask() }
    return try slowOperations.timing(kind, ofWork: workID, ask)
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

  /// How much of the file lookups read through a mapping, where it takes no system call.
  ///
  /// SQLite's own cache holds the pages of about a thousand books. A mapping holds nothing: its pages
  /// are the system's, which takes them back as it likes.
  private static let mappedBytes = 1 << 28

  /// Sets journal and waits; after the connection is made, since making it sets the log's own.
  private static func commit(
    _ writer: any DatabaseWriter, as configuration: LibraryConfiguration, at path: String
  ) throws {
    try writer.writeWithoutTransaction { database in
      let wanted = configuration.journal.pragma
      let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(wanted)")
      // A file with a log that somebody else has open keeps it.
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
      throw LibraryError.otherSchema(
        path: path, found: found.description, wanted: wanted.description)
    }
    try migrator.migrate(writer, upTo: wanted.migration)
  }
}
