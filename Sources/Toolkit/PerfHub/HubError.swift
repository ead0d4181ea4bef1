/// The reason why an operation of a hub failed.
///
/// No case contains a password.
public enum HubError: Error, Equatable, CustomStringConvertible {
  /// The text is no address; it is not repeated, since it may contain a password.
  case invalidAddress(reason: String)
  /// No server answers.
  case unreachable(hub: String, cause: String)
  /// The server does not accept the user or the password.
  case refused(hub: String, cause: String)
  case unknownDatabase(hub: String, cause: String)
  /// The server did not answer in time.
  case slow(hub: String, cause: String)
  /// The connection ended while it was used.
  case lost(hub: String, cause: String)
  /// The database has no tables of a hub.
  case missing(hub: String)
  /// The tables are of another version.
  case olderSchema(hub: String, found: Int, known: Int)
  case newerSchema(hub: String, found: Int, known: Int)
  case readOnly(hub: String, cause: String)
  case notPermitted(hub: String, cause: String)
  /// The operation is reserved for the role that owns the tables.
  case notOwner(hub: String)
  /// The server has no room, memory or connection left.
  case full(hub: String, cause: String)
  case unknownRole(hub: String, role: String)
  /// The hub has another item with the id of an item of the store.
  case differentContent(hub: String, store: String, id: String)
  case unknownJob(hub: String, number: Int)
  /// Nothing on the hub matches a reference.
  case unknownReference(hub: String, text: String)
  /// A row contains an invalid value.
  case damaged(hub: String, detail: String)
  /// The server reported another error.
  case failed(hub: String, cause: String)

  /// A message with the object, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidAddress(let reason):
      "the address of the hub is invalid: \(reason). Pass a URL such as "
        + "postgresql://user@host/database. Put a password into ~/.pgpass or PGPASSWORD."
    case .unreachable(let hub, let cause):
      "cannot reach hub '\(hub)': \(cause). Start the server, or correct the address."
    case .refused(let hub, let cause):
      "cannot log in to hub '\(hub)': \(cause). Correct the user, or the password in ~/.pgpass or "
        + "PGPASSWORD."
    case .unknownDatabase(let hub, let cause):
      "cannot open hub '\(hub)': \(cause). Create the database with createdb, or correct the address."
    case .slow(let hub, let cause):
      "hub '\(hub)' is too slow: \(cause). Nothing of the current item was changed. Repeat the "
        + "command later, or raise connect_timeout or statement_timeout in the address."
    case .lost(let hub, let cause):
      "hub '\(hub)' ended the connection: \(cause). The current item was not written, or wholly. "
        + "Repeat the command: items that are known are not sent again."
    case .missing(let hub):
      "'\(hub)' is no hub yet. Make it one with 'perfkit hub init URL'."
    case .olderSchema(let hub, let found, let known):
      "cannot use hub '\(hub)': its schema is \(found), and this perfkit needs \(known). Nothing was "
        + "changed. Update it with 'perfkit hub init URL'."
    case .newerSchema(let hub, let found, let known):
      "cannot use hub '\(hub)': its schema is \(found), and this perfkit knows only \(known). Nothing "
        + "was changed. Use a newer perfkit."
    case .readOnly(let hub, let cause):
      "cannot write to hub '\(hub)': \(cause). Use the address of the primary server."
    case .notPermitted(let hub, let cause):
      "the role has too few rights on hub '\(hub)': \(cause). Use another role, or let the owner "
        + "of the hub grant them with 'perfkit hub init URL --writer ROLE'."
    case .notOwner(let hub):
      "only the owner of hub '\(hub)' may prune it. Nothing was removed. Use the role that ran 'perfkit hub "
        + "init'."
    case .full(let hub, let cause):
      "hub '\(hub)' has no room: \(cause). Nothing of the current item was written. Free space or "
        + "connections, e.g. with 'perfkit hub prune', then repeat the command."
    case .unknownRole(let hub, let role):
      "hub '\(hub)' has no role '\(role)'. Nothing was changed. Create it with 'createuser \(role)', then "
        + "repeat the command."
    case .differentContent(let hub, let store, let id):
      "hub '\(hub)' and run store '\(store)' contain '\(id)' with different content. Nothing was "
        + "changed. Use another --store or another --hub."
    case .unknownJob(let hub, let number):
      "hub '\(hub)' has no job \(number). 'perfkit hub jobs' lists its jobs."
    case .unknownReference(let hub, let text):
      "nothing on hub '\(hub)' is called '\(text)'. 'perfkit hub list' lists its runs."
    case .damaged(let hub, let detail):
      "hub '\(hub)' is damaged: \(detail). Nothing was changed. Restore its database from a backup."
    case .failed(let hub, let cause):
      "hub '\(hub)' failed: \(cause). Nothing of the current item was changed. Repeat the command; if it "
        + "fails again, read the server's log."
    }
  }

  /// Creates the error of a server's report.
  ///
  /// - Parameters:
  ///   - state: The SQLSTATE (PostgreSQL documentation, appendix A); nil if the connection failed.
  ///   - cause: The message as a clause.
  ///   - hub: The address without passwords.
  ///   - isConnecting: Whether the connection is being made.
  init(state: String?, cause: String, hub: String, isConnecting: Bool = false) {
    switch state {
    case nil:
      self = isConnecting ? .unreachable(hub: hub, cause: cause) : .lost(hub: hub, cause: cause)
    case "28P01", "28000": self = .refused(hub: hub, cause: cause)
    case "3D000": self = .unknownDatabase(hub: hub, cause: cause)
    // Cancelled by a timeout of the statement, or by a timeout of a lock.
    case "57014", "55P03": self = .slow(hub: hub, cause: cause)
    case "42P01", "3F000": self = .missing(hub: hub)
    case "25006": self = .readOnly(hub: hub, cause: cause)
    case "42501": self = .notPermitted(hub: hub, cause: cause)
    case let state? where state.hasPrefix("53"): self = .full(hub: hub, cause: cause)
    case let state? where state.hasPrefix("57P") || state.hasPrefix("08"):
      self = isConnecting ? .unreachable(hub: hub, cause: cause) : .lost(hub: hub, cause: cause)
    default: self = .failed(hub: hub, cause: cause)
    }
  }
}
