internal import Foundation
internal import GRDB

extension RunStore {
  /// Calls a function with what was stored of the symbols of modules.
  ///
  /// - Parameters:
  ///   - buildIDs: The modules' build-ids; they change with every change of their code.
  ///   - visit: Gets the place of a build-id among them, and the payload; is not called for modules
  ///     of which nothing is known.
  /// - Throws: `StoreError.locked` or `failed`.
  public func readSymbols(
    buildIDs: [String], visit: (Int, [UInt8]) -> Void
  ) throws(StoreError) {
    try read { db in
      for (place, id) in buildIDs.enumerated() {
        if let payload = try Self.payload(id, db) { visit(place, payload) }
      }
    }
  }

  /// Replaces what is stored of the symbols of modules, all or none of it.
  ///
  /// - Parameters:
  ///   - buildIDs: The modules' build-ids.
  ///   - change: Makes of a build-id and its payload, nil the first time, the payload to store.
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func changeSymbols(
    buildIDs: [String], change: (String, [UInt8]?) -> [UInt8]
  ) throws(StoreError) {
    try write { db in
      let replace = try db.cachedStatement(
        sql: """
          INSERT INTO module_symbols (build_id, payload) VALUES (?, ?)
          ON CONFLICT (build_id) DO UPDATE SET payload = excluded.payload
          """)
      for id in buildIDs {
        try replace.execute(arguments: [id, Data(change(id, Self.payload(id, db)))])
      }
    }
  }

  private static func payload(_ buildID: String, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(
      sql: "SELECT payload FROM module_symbols WHERE build_id = ?")
    // A row of its own would be a copy of the payload, which may have megabytes.
    let rows = try Row.fetchCursor(statement, arguments: [buildID])
    return try rows.next()?.withUnsafeData(atIndex: 0) { [UInt8]($0 ?? Data()) }
  }
}
