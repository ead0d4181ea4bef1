internal import GRDB
public import PerfModel

extension RunStore {
  /// Adds a decision to the ledger.
  ///
  /// - Parameters:
  ///   - decision: The decision, without its number.
  ///   - least: The least number that it may have: another store's decisions may have lower ones.
  ///   - confirm: Is given the decision with its number; when it throws, nothing is added.
  /// - Returns: The decision with its number.
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`, the last one also for what `confirm` throws.
  @discardableResult
  public func append(
    _ decision: Decision, numberedFrom least: Int = 1,
    confirm: (Decision) throws -> Void = { _ in }
  ) throws(StoreError) -> Decision {
    try write { db in
      var decision = decision
      let writer = DecisionWriter(db: db)
      decision.number = max(try writer.nextNumber(), least)
      try writer.insert(decision)
      try confirm(decision)
      return decision
    }
  }

  /// Returns all decisions, the first one first.
  ///
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func decisions() throws(StoreError) -> [Decision] {
    try read { db in try decisions(db) }
  }

  /// Reads all decisions within a transaction.
  func decisions(_ db: Database) throws -> [Decision] {
    try Row.fetchAll(db, sql: "SELECT number, payload FROM decisions ORDER BY number").map {
      row in
      let (number, text): (Int, String) = (row[0], row[1])
      do {
        return try JSONText.decode(text) as Decision
      } catch {
        throw StoreError.damaged(path: path, detail: "decision \(number) cannot be read")
      }
    }
  }
}
