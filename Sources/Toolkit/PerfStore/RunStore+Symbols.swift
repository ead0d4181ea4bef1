internal import Foundation
internal import GRDB

extension RunStore {
  /// Calls a function with what was stored of each of some addresses of a module that is known.
  ///
  /// - Parameters:
  ///   - buildID: The module's build-id; it changes with every change of its code.
  ///   - addresses: Addresses in the module's file.
  ///   - visit: Gets an address and its payload.
  /// - Throws: `StoreError.locked` or `failed`.
  /// - Complexity: O(*n* log *m*) for *n* addresses and *m* stored ones.
  public func readSymbols(
    buildID: String, addresses: [UInt64], visit: (UInt64, [UInt8]) -> Void
  ) throws(StoreError) {
    try read { db in
      let module = try Int64.fetchOne(
        db, sql: "SELECT key FROM symbol_modules WHERE build_id = ?", arguments: [buildID])
      guard let module else { return }
      // One statement for all: stepping costs a tenth of asking again.
      let list = "[" + addresses.map { "\(Int64(bitPattern: $0))" }.joined(separator: ",") + "]"
      let statement = try db.cachedStatement(
        sql: """
          SELECT address, payload FROM symbols
          WHERE module = ? AND address IN (SELECT value FROM json_each(?))
          """)
      let rows = try Row.fetchCursor(statement, arguments: [module, list])
      while let row = try rows.next() {
        let payload = try row.withUnsafeData(atIndex: 1) { [UInt8]($0 ?? Data()) }
        visit(UInt64(bitPattern: row[0]), payload)
      }
    }
  }

  /// Stores what was found out about addresses of a module; later payloads replace earlier ones.
  ///
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func saveSymbols(buildID: String, _ payloads: [UInt64: [UInt8]]) throws(StoreError) {
    try write(needed: payloads.values.reduce(0) { $0 + $1.count + 16 }) { db in
      try db.execute(
        sql: "INSERT INTO symbol_modules (build_id) VALUES (?) ON CONFLICT DO NOTHING",
        arguments: [buildID])
      let module = try Int64.fetchOne(
        db, sql: "SELECT key FROM symbol_modules WHERE build_id = ?", arguments: [buildID])
      let insert = try db.cachedStatement(
        sql: """
          INSERT INTO symbols (module, address, payload) VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET payload = excluded.payload
          """)
      for (address, payload) in payloads.sorted(by: { $0.key < $1.key }) {
        try insert.execute(arguments: [module, Int64(bitPattern: address), Data(payload)])
      }
    }
  }
}
