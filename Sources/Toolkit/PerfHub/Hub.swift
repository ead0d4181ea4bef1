/// A PostgreSQL database that several machines share: their runs, comparisons, decisions and baselines.
///
/// Its content comes from run stores and returns to run stores, which judge and report. Methods throw `HubError`,
/// `StoreError`, or `CancellationError` when the user stops.
public final class Hub {
  /// The address without passwords, for messages.
  public let name: String
  let connection: Connection

  /// Connects to a hub.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - isCancelled: Whether the user wants to stop.
  /// - Throws: `HubError`, also for tables of another version; `CancellationError`.
  public init(_ address: HubAddress, isCancelled: @escaping @Sendable () -> Bool) throws {
    name = address.description
    connection = try Connection(address, isCancelled: isCancelled)
    try HubSchema.check(connection, hub: name)
  }

  /// The change that `initialise` made.
  public struct Initialisation: Hashable, Sendable {
    /// The version of the tables before, 0 for none.
    public let previous: Int
    /// The version of the tables now.
    public let current: Int
  }

  /// Creates the tables of a hub in a database, or updates them, and lets roles use them.
  ///
  /// - Parameters:
  ///   - address: The address; its user owns the tables.
  ///   - writers: Roles that may write runs.
  ///   - readers: Roles that may read only.
  ///   - isCancelled: Whether the user wants to stop.
  /// - Returns: The versions of the tables.
  /// - Throws: `HubError`; nothing has changed then.
  public static func initialise(
    _ address: HubAddress, writers: [String] = [], readers: [String] = [],
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Initialisation {
    let connection = try Connection(address, isCancelled: isCancelled)
    let hub = address.description
    return try connection.transaction {
      let previous = try HubSchema.migrate(connection, hub: hub)
      for role in readers {
        try HubSchema.grant(connection, to: role, writes: false, hub: hub)
      }
      for role in writers { try HubSchema.grant(connection, to: role, writes: true, hub: hub) }
      return Initialisation(previous: previous, current: HubSchema.current)
    }
  }

  /// Returns an array in parts, so that no statement and no answer is too large.
  static func parts<Item>(of items: [Item], size: Int = 500) -> [[Item]] {
    stride(from: 0, to: items.count, by: size).map {
      Array(items[$0..<min($0 + size, items.count)])
    }
  }

  /// Returns the content of a row.
  ///
  /// - Throws: `HubError.damaged`.
  static func content(
    _ compressed: [UInt8]?, size: Int64?, of id: String, hub: String
  ) throws(HubError) -> [UInt8] {
    guard let compressed, let size,
      let content = Compression.content(of: compressed, size: Int(size))
    else { throw .damaged(hub: hub, detail: "the content of run \(id) cannot be read") }
    return content
  }
}
