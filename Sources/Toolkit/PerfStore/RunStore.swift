internal import Foundation
internal import GRDB
internal import PerfModel

/// A store of runs in one SQLite file; SCHEMA.md describes its tables.
///
/// Several processes may use one file at once: readers never wait, and a writer waits for another
/// writer up to the timeout. Every change is one transaction, so an error or a killed process
/// leaves the file unchanged. Every method throws `locked` or `failed`; a method that reads throws
/// `damaged` for invalid content, and a method that writes `diskFull`.
public struct RunStore: Sendable {
  /// The purpose of opening a store.
  public enum Access: Sendable {
    /// Reading only; the file must exist.
    case reading
    /// Reading and writing; missing folders and files are created.
    case writing
  }

  /// The absolute path of the file; `:memory:` for a store in memory.
  public let path: String

  let timeout: Duration
  let database: DatabaseQueue

  /// Opens a store.
  ///
  /// A file that cannot be written can still be read, unless another process left unfinished
  /// changes in its log.
  ///
  /// `timeout` is the time to wait for a lock of another process.
  ///
  /// - Throws: `StoreError.missing` (when reading), `notADatabase`, `notAStore`, `unknownSchema`,
  ///   `notReadable`, `notWritable`.
  public init(path: String, access: Access = .writing, timeout: Duration = .seconds(5))
    throws(StoreError)
  {
    let file = StoreFile(path: path)
    switch access {
    case .writing:
      try file.prepareForWriting()
      file.create()
      try self.init(file, access: access, isWritable: true, timeout: timeout)
    case .reading:
      let isWritable = try file.prepareForReading()
      do {
        try self.init(file, access: access, isWritable: isWritable, timeout: timeout)
      } catch .diskFull where isWritable {
        // A full disk does not prevent reading: SQLite can do without its additional files.
        try self.init(file, access: access, isWritable: false, timeout: timeout)
      }
    }
  }

  /// Opens an existing file, or creates it if it is writable.
  init(_ file: StoreFile, access: Access, isWritable: Bool, timeout: Duration) throws(StoreError) {
    path = file.path
    self.timeout = timeout
    do {
      database = try Self.connect(to: file, isWritable: isWritable, timeout: timeout)
      if isWritable {
        try Self.createTables(database, path: file.path, timeout: timeout)
      } else {
        try database.read { try Self.requireCurrent($0, path: file.path) }
      }
      switch access {
      case .writing: try Self.resumeWriteAheadLog(database)
      case .reading: try database.inDatabase { try $0.execute(sql: "PRAGMA query_only = 1") }
      }
    } catch {
      throw ErrorTranslation(path: file.path, timeout: timeout)(error)
    }
  }

  private init(inMemory database: DatabaseQueue) {
    path = ":memory:"
    timeout = .zero
    self.database = database
  }

  /// Returns an empty store in memory, for tests.
  ///
  /// - Throws: `StoreError.failed`.
  public static func inMemory() throws(StoreError) -> RunStore {
    do {
      let database = try DatabaseQueue()
      try database.write(Schema.claim)
      try Schema.migrator.migrate(database)
      return RunStore(inMemory: database)
    } catch {
      throw ErrorTranslation(path: ":memory:", timeout: .zero)(error)
    }
  }

  /// Opens a queue rather than a pool.
  ///
  /// A command reads and writes one after the other, and the first read completes after 1.5 ms
  /// rather than 4.5 ms (a store of 1,000 runs, warm).
  private static func connect(to file: StoreFile, isWritable: Bool, timeout: Duration) throws
    -> DatabaseQueue
  {
    var configuration = Configuration()
    configuration.busyMode = .timeout(timeout.seconds)
    configuration.readonly = !isWritable
    return try DatabaseQueue(
      path: isWritable ? file.path : file.pathForReadOnly, configuration: configuration)
  }

  private static func requireCurrent(_ db: Database, path: String) throws {
    let content = try Schema.content(of: db)
    if content == .empty { throw StoreError.missing(path: path) }
    try refuseUnknown(content, path: path)
  }

  private static func refuseUnknown(_ content: Schema.Content, path: String) throws(StoreError) {
    switch content {
    case .empty, .current: return
    case .foreign: throw .notAStore(path: path)
    case .unknown(let version):
      throw .unknownSchema(path: path, found: version, known: Schema.current)
    }
  }

  /// Creates the tables of an empty file, and prepares the connection for writing.
  private static func createTables(_ database: DatabaseQueue, path: String, timeout: Duration)
    throws
  {
    // The check precedes the first change, so that the file of another program is not modified.
    let content = try database.read { try Schema.content(of: $0) }
    try refuseUnknown(content, path: path)
    if content == .empty {
      try activateWriteAheadLog(database, timeout: timeout)
      try database.write(Schema.claim)
      // Two processes may both find an empty file: the second one fails, then finds the tables.
      for attempt in 1... {
        do {
          try Schema.migrator.migrate(database)
          break
        } catch {
          if try database.read({ try Schema.content(of: $0) }) == .current { break }
          if attempt == 3 { throw error }
        }
      }
    }
    // NORMAL: a kill loses nothing; a power cut loses the last transactions at most.
    try database.inDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
  }

  /// Switches to WAL mode; SQLite itself does not wait for locks in this step.
  private static func activateWriteAheadLog(_ database: DatabaseQueue, timeout: Duration) throws {
    let deadline = ContinuousClock.now + timeout
    while true {
      do {
        return try database.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
      {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  /// Switches a copied file back to WAL mode, which SQLite does not copy.
  ///
  /// If another process uses the file, the switch is left to the next opening.
  private static func resumeWriteAheadLog(_ database: DatabaseQueue) throws {
    try database.inDatabase { db in
      guard try String.fetchOne(db, sql: "PRAGMA journal_mode") != "wal" else { return }
      do {
        try db.execute(sql: "PRAGMA journal_mode = WAL")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        return
      }
    }
  }

  /// Reads in one transaction.
  func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      return try database.read(body)
    } catch {
      throw ErrorTranslation(path: path, timeout: timeout)(error)
    }
  }

  /// Writes in one transaction, which an error reverts.
  ///
  /// `needed` is the estimated number of bytes, for the message of a full disk.
  func write<Value>(needed: Int? = nil, _ body: (Database) throws -> Value) throws(StoreError)
    -> Value
  {
    do {
      return try database.write(body)
    } catch {
      throw ErrorTranslation(path: path, timeout: timeout, needed: needed)(error)
    }
  }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
