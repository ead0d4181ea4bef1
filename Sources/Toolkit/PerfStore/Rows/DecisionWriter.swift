internal import GRDB
internal import PerfModel

/// Writes decisions in a transaction.
struct DecisionWriter {
  let db: Database

  /// Returns the number after the last decision's.
  func nextNumber() throws -> Int {
    (try Int.fetchOne(db, sql: "SELECT max(number) FROM decisions") ?? 0) + 1
  }

  /// Inserts a decision with its number.
  func insert(_ decision: Decision) throws {
    try db.insertRow(
      into: "decisions (number, comparison, decided_ms, outcome, payload)",
      [
        decision.number, decision.comparison, decision.decided, decision.outcome.rawValue,
        try JSONText.encode(decision),
      ])
  }
}
