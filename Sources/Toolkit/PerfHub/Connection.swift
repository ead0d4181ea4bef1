internal import CPostgres
internal import Glibc

/// A connection to PostgreSQL that waits no longer than its deadlines, and ends when the user stops.
///
/// libpq's blocking functions wait for a server that stopped as long as TCP does. Methods throw `HubError` or
/// `CancellationError`; after an error of waiting, the connection cannot be used.
final class Connection {
  private let handle: OpaquePointer
  private let hub: String
  private let isCancelled: @Sendable () -> Bool
  /// The time to wait for the answer of a statement.
  private var timeout = Duration.seconds(65)
  /// Whether an answer was given up, so that the next answer would be of another statement.
  private var isBroken = false

  /// The seconds to wait for a connection, unless the address or PGCONNECT_TIMEOUT has another number.
  private static let connectSeconds = 10

  /// Opens a connection.
  init(_ address: HubAddress, isCancelled: @escaping @Sendable () -> Bool) throws {
    hub = address.description
    self.isCancelled = isCancelled
    // Later keywords replace the values of earlier ones, and dbname those of its URL.
    let options: [(String, String)] = [
      ("tcp_user_timeout", "30000"), ("fallback_application_name", "perfkit"),
      ("dbname", address.text), ("client_encoding", "UTF8"),
    ]
    let keywords: [UnsafePointer<CChar>?] = options.map { UnsafePointer(strdup($0.0)) } + [nil]
    let values: [UnsafePointer<CChar>?] = options.map { UnsafePointer(strdup($0.1)) } + [nil]
    defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
    guard let handle = PQconnectStartParams(keywords, values, 1) else {
      throw HubError.failed(
        hub: address.description, cause: "there is no memory for a connection")
    }
    self.handle = handle
    // The default processor writes the server's notices to standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    // With SQLSTATE in the message, the language of the server does not matter.
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    try connect()
    PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    PQsetnonblocking(handle, 1)
    try prepareSession()
  }

  deinit { PQfinish(handle) }

  // MARK: - Connecting

  private func connect() throws {
    let seconds = option("connect_timeout").flatMap(Int.init) ?? Self.connectSeconds
    let deadline = ContinuousClock.now + .seconds(seconds > 0 ? seconds : 86_400)
    var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      if state == PGRES_POLLING_FAILED { throw connectionError() }
      do {
        _ = try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
      } catch HubError.slow {
        throw HubError.slow(hub: hub, cause: "it did not answer within \(seconds) s")
      }
      state = PQconnectPoll(handle)
    }
  }

  private func connectionError() -> HubError {
    var cause = message(PQerrorMessage(handle))
    var state: String?
    if let match = cause.firstMatch(of: /:\s+((?=[0-9A-Z]*[0-9])[0-9A-Z]{5}):\s+/) {
      state = String(match.1)
      cause = String(cause[match.range.upperBound...])
    } else if PQconnectionNeedsPassword(handle) == 1 {
      (state, cause) = ("28P01", "the server asks for a password, and there is none")
    }
    return HubError(state: state, cause: cause, hub: hub, isConnecting: true)
  }

  /// Returns the value of an option of the connection.
  private func option(_ keyword: String) -> String? {
    guard let list = PQconninfo(handle) else { return nil }
    defer { PQconninfoFree(list) }
    var option = list
    while let name = option.pointee.keyword {
      if String(cString: name) == keyword { return option.pointee.val.map { String(cString: $0) } }
      option += 1
    }
    return nil
  }

  /// Limits the time of statements, unless the address or PGOPTIONS does so, and lets the server revert statements of
  /// a client that ended (from PostgreSQL 14 on).
  private func prepareSession() throws {
    try script(
      """
      SET client_min_messages = error;
      SELECT set_config('statement_timeout', '60s', false)
        WHERE current_setting('statement_timeout') = '0';
      SELECT set_config('lock_timeout', '10s', false) WHERE current_setting('lock_timeout') = '0';
      SELECT set_config(name, '1s', false) FROM pg_catalog.pg_settings
        WHERE name = 'client_connection_check_interval';
      """)
    let milliseconds = try run(
      "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'statement_timeout'"
    ).int(0, 0)
    // The server reports its timeout itself, unless it stopped.
    timeout = .milliseconds(milliseconds ?? 60_000) + .seconds(5)
  }

  // MARK: - Statements

  /// Runs a statement with values for $1, $2 and so on.
  @discardableResult
  func run(_ statement: String, _ values: [SQLValue] = []) throws -> Rows {
    let buffers = values.map(Self.buffer)
    defer { for buffer in buffers { buffer?.deallocate() } }
    let formats = values.map { value -> Int32 in if case .bytes = value { 1 } else { 0 } }
    let pointers = buffers.map { buffer -> UnsafePointer<CChar>? in
      UnsafePointer(buffer?.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
    let lengths = buffers.map { Int32($0?.count ?? 0) }
    let isSent = PQsendQueryParams(
      handle, statement, Int32(values.count), nil, pointers, lengths, formats, 1)
    return try answer(isSent: isSent == 1)
  }

  /// Runs several statements without values in one transaction, or in their own transactions.
  func script(_ statements: String) throws {
    try answer(isSent: PQsendQuery(handle, statements) == 1)
  }

  /// The kinds of transactions.
  enum Transaction: String {
    /// Each statement sees what others have written before it.
    case writing = "BEGIN"
    /// All statements see the database as it is at the first one, and write nothing.
    case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  }

  /// Runs statements in a transaction, which an error reverts.
  func transaction<Value>(
    _ kind: Transaction = .writing, _ body: () throws -> Value
  ) throws -> Value {
    try script(kind.rawValue)
    do {
      let value = try body()
      try script("COMMIT")
      return value
    } catch {
      try? script("ROLLBACK")
      throw error
    }
  }

  /// Returns the bytes of a value, a text with a final zero; nil for NULL.
  private static func buffer(_ value: SQLValue) -> UnsafeMutableRawBufferPointer? {
    let bytes: [UInt8]
    if case .bytes(let content) = value {
      bytes = content
    } else if let literal = value.literal {
      bytes = Array(literal.utf8) + [0]
    } else {
      return nil
    }
    // An empty buffer would have no address, and be NULL.
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(bytes.count, 1), alignment: 1)
    buffer.copyBytes(from: bytes)
    return UnsafeMutableRawBufferPointer(rebasing: buffer[..<bytes.count])
  }

  @discardableResult
  private func answer(isSent: Bool) throws -> Rows {
    guard isSent, !isBroken else { throw lost() }
    let deadline = ContinuousClock.now + timeout
    try flush(until: deadline)
    var last: Rows?
    var failure: HubError?
    while true {
      while PQisBusy(handle) == 1 {
        _ = try wait(for: POLLIN, until: deadline)
        guard PQconsumeInput(handle) == 1 else { throw failure ?? lost() }
      }
      guard let result = PQgetResult(handle) else { break }
      let rows = Rows(result, hub: hub)
      if let error = rows.error(isLost: PQstatus(handle) == CONNECTION_BAD) {
        failure = failure ?? error
      }
      last = rows
    }
    if let failure { throw failure }
    guard let last else { throw lost() }
    return last
  }

  private func flush(until deadline: ContinuousClock.Instant) throws {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        let ready = try wait(for: POLLIN | POLLOUT, until: deadline)
        if ready & POLLIN != 0, PQconsumeInput(handle) != 1 { throw lost() }
      default: throw lost()
      }
    }
  }

  /// Waits until the socket is ready; returns the events.
  private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws -> Int32 {
    while true {
      if isCancelled() {
        giveUp()
        throw CancellationError()
      }
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else {
        giveUp()
        throw HubError.slow(
          hub: hub, cause: "it did not answer within \(timeout.components.seconds) s")
      }
      let milliseconds =
        rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      // The user's stop is looked for five times a second.
      let count = poll(&descriptor, 1, Int32(min(200, milliseconds + 1)))
      if count > 0 { return Int32(descriptor.revents) }
      if count < 0, errno != EINTR { throw lost() }
    }
  }

  /// Ends the connection, so that the server reverts a statement that still runs.
  private func giveUp() {
    isBroken = true
    shutdown(PQsocket(handle), Int32(SHUT_RDWR))
  }

  private func lost() -> HubError {
    HubError(state: nil, cause: message(PQerrorMessage(handle)), hub: hub)
  }
}

/// Returns the first line of a message of libpq as a clause.
func message(_ text: UnsafePointer<CChar>?) -> String {
  let text = text.map { String(cString: $0) } ?? ""
  let line = text.split(separator: "\n").first.map(String.init) ?? "the server gave no reason"
  return line.hasSuffix(".") ? String(line.dropLast()) : line
}
