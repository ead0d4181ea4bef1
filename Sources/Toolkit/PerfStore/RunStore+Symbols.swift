internal import Foundation
internal import GRDB

extension RunStore {
  /// Reads the stored symbols of modules; the keys are build ids with the caller's suffixes.
  ///
  /// `visit` is called with the index of a key and its payload, for keys with a payload.
  public func readSymbols(
    keys: [String], visit: (Int, [UInt8]) -> Void
  ) throws(StoreError) {
    try read { db in
      for (place, key) in keys.enumerated() {
        if let payload = try Self.payload(key, db) { visit(place, payload) }
      }
    }
  }

  /// Changes the stored symbols of modules, all or none.
  ///
  /// `change` returns the new payload of a key from its stored payload, or from nil.
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
    // A cursor avoids a copy of the payload, which may have megabytes.
    let rows = try Row.fetchCursor(statement, arguments: [key])
    return try rows.next()?.withUnsafeData(atIndex: 0) { [UInt8]($0 ?? Data()) }
  }
}
