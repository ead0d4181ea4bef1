internal import Foundation
internal import GRDB

extension RunStore {
  /// Calls a function with what was stored of the symbols of modules.
  ///
  /// - Parameters:
  ///   - keys: What tells modules apart, and what their symbols were read from: their build-ids, which
  ///     change with every change of their code, and whatever the caller puts behind.
  ///   - visit: Gets the place of a key among them, and the payload; is not called for modules
  ///     of which nothing is known.
  /// - Throws: `StoreError.locked` or `failed`.
  public func readSymbols(
    keys: [String], visit: (Int, [UInt8]) -> Void
  ) throws(StoreError) {
    try read { db in
      for (place, key) in keys.enumerated() {
        if let payload = try Self.payload(key, db) { visit(place, payload) }
      }
    }
  }

  /// Replaces what is stored of the symbols of modules, all or none of it.
  ///
  /// - Parameters:
  ///   - keys: What tells modules apart, as in `readSymbols`.
  ///   - change: Makes of a key and its payload, nil the first time, the payload to store.
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func changeSymbols(
    keys: [String], change: (String, [UInt8]?) -> [UInt8]
  ) throws(StoreError) {
    try write { db in
      let replace = try db.cachedStatement(
        sql: """
          INSERT INTO module_symbols (build_id, payload) VALUES (?, ?)
          ON CONFLICT (build_id) DO UPDATE SET payload = excluded.payload
          """)
      for key in keys {
        try replace.execute(arguments: [key, Data(change(key, Self.payload(key, db)))])
      }
    }
  }

  private static func payload(_ key: String, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(
      sql: "SELECT payload FROM module_symbols WHERE build_id = ?")
    // A row of its own would be a copy of the payload, which may have megabytes.
    let rows = try Row.fetchCursor(statement, arguments: [key])
    return try rows.next()?.withUnsafeData(atIndex: 0) { [UInt8]($0 ?? Data()) }
  }
}
