internal import Foundation
internal import Glibc
internal import Synchronization

/// A PostgreSQL server with its files in a temporary folder, which listens on a Unix socket alone.
///
/// `Scripts/postgres` owns the server and ends it when this process ends, however that happens.
public final class TestPostgres: Sendable {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(components: "..", "..", "Scripts", "postgres").standardizedFileURL.path

  /// The reason why there is no server, in a clause; nil if there is one.
  public static let obstacle: String? = {
    do {
      try run([script, "--check"])
      return nil
    } catch {
      return "\(error)".trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }()

  /// Whether a server can be started.
  public static let isAvailable = obstacle == nil

  /// The server of all tests that leave it running; nil if it cannot be started.
  public static let shared = try? TestPostgres()

  /// A program that failed.
  public struct Failed: Error, CustomStringConvertible {
    /// The output of the program.
    public let description: String
  }

  /// The processes of a running server.
  private struct Running: @unchecked Sendable {
    let owner: Process
    let input: Pipe
    let server: pid_t
  }

  private let folder: TemporaryFolder
  private let running = Mutex<Running?>(nil)
  private let databases = Mutex(0)

  /// Creates a cluster and starts it.
  ///
  /// The role `secured` needs the password `correct horse`; all other roles need none.
  ///
  /// - Throws: `Failed`, or a file error.
  public init() throws {
    folder = try TemporaryFolder()
    try start()
    try psql("CREATE ROLE secured LOGIN PASSWORD 'correct horse'")
    try "local all secured scram-sha-256\nlocal all all trust\n".write(
      toFile: folder("data/pg_hba.conf"), atomically: false, encoding: .utf8)
    try psql("SELECT pg_reload_conf()")
  }

  // MARK: - The server

  /// Starts the server, and returns when it answers.
  ///
  /// - Throws: `Failed` with its log.
  public func start() throws {
    // The processes of a killed server end some time later, and keep its memory until then.
    for _ in 0..<50 {
      if (try? startOnce()) != nil { return }
      usleep(100_000)
    }
    try startOnce()
  }

  private func startOnce() throws {
    let owner = Process()
    owner.executableURL = URL(fileURLWithPath: Self.script)
    owner.arguments = [folder.path, "-c", "fsync=off"]
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    owner.standardInput = input
    owner.standardOutput = output
    owner.standardError = errors
    try owner.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let server = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failed(
        description: String(
          decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
    let started = Running(owner: owner, input: input, server: server)
    running.withLock { $0 = started }
  }

  /// Sends a signal to the server, and waits for its end.
  public func end(by signal: Int32) {
    let ended = running.withLock { state -> Running? in
      defer { state = nil }
      return state
    }
    guard let ended else { return }
    kill(ended.server, signal)
    ended.input.fileHandleForWriting.write(Data("end\n".utf8))
    ended.owner.waitUntilExit()
  }

  /// The environment variables by which libpq and the server's programs find this server.
  public var variables: [String: String] {
    ["PGHOST": folder("socket"), "PGUSER": "postgres"]
  }

  // MARK: - Databases

  /// Creates a database.
  ///
  /// - Returns: Its address.
  /// - Throws: `Failed`.
  public func database() throws -> String {
    // Two databases cannot be copied from the template at the same time.
    let number = try databases.withLock { count in
      count += 1
      try psql("CREATE DATABASE perf\(count)")
      return count
    }
    return url("perf\(number)")
  }

  /// Returns the address of a database.
  ///
  /// - Parameters:
  ///   - database: The name, or an address of this server.
  ///   - user: The role, with a password after a colon.
  ///   - options: More options of the address, e.g. `&connect_timeout=2`.
  /// - Returns: The address.
  public func url(_ database: String, user: String = "postgres", options: String = "") -> String {
    let name = URL(string: database)?.lastPathComponent ?? database
    return "postgresql://\(user)@/\(name)?host=\(folder("socket"))\(options)"
  }

  /// Runs SQL as the superuser.
  ///
  /// - Parameters:
  ///   - statements: The statements.
  ///   - database: The name of a database, or its address.
  /// - Returns: The values of the rows, with `|` between columns.
  /// - Throws: `Failed` with the server's message.
  @discardableResult
  public func psql(_ statements: String, in database: String = "postgres") throws -> String {
    try Self.run([
      "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
      database.contains("://") ? database : url(database), "-c", statements,
    ])
  }

  @discardableResult
  private static func run(_ words: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(description: text) }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
