internal import GRDB
internal import PerfModel

/// Writes decisions within a transaction.
struct DecisionWriter {
  let db: Database

  /// The number after the last one.
  func nextNumber() throws -> Int {
    (try Int.fetchOne(db, sql: "SELECT max(number) FROM decisions") ?? 0) + 1
  }

  /// Inserts a decision under its own number.
  func insert(_ decision: Decision) throws {
    try db.insertRow(
      into: "decisions (number, comparison, decided_ms, outcome, payload)",
      [
        decision.number, decision.comparison, decision.decided, decision.outcome.rawValue,
        try JSONText.encode(decision),
      ])
  }
}
