public import PerfModel

/// The facts of a run on a hub that lists show.
public struct HubRun: Hashable, Sendable {
  /// The run's id.
  public let id: String
  /// The scenario's name.
  public let scenario: String
  /// The variant's name.
  public let variant: String
  /// The user's name for the run, or nil.
  public let label: String?
  /// The built commit, or nil if unknown.
  public let commit: String?
  /// Whether the work tree had changes; nil if unknown.
  public let isDirty: Bool?
  /// The name of the machine, or nil if unknown.
  public let host: String?
  /// The start of the run.
  public let started: Timestamp
  /// The number of measured launches that completed.
  public let launches: Int
  /// The number of measured launches that did not complete.
  public let failed: Int
  /// The role that pushed the run.
  public let pushedBy: String
  /// The bytes of the compressed metrics.
  public let recordBytes: Int
  /// The bytes of the compressed profile and the other bulky parts; nil without them.
  public let bulkBytes: Int?

  /// `scenario:variant`.
  public var subject: String { "\(scenario):\(variant)" }
}

extension Hub {
  /// Returns the runs that match a filter, the latest first.
  ///
  /// - Throws: `HubError`, `StoreError.invalidReference`.
  public func runs(_ filter: HubFilter = HubFilter()) throws -> [HubRun] {
    let condition = try HubCondition(filter)
    let rows = try connection.run(
      condition.query(
        """
        id, scenario, variant, label, commit_hash, is_dirty::int::text, host, started_ms::text,
          launches::text, failed::text, pushed_by, octet_length(record)::text,
          octet_length(bulk)::text
        """), condition.values)
    let runs = (0..<rows.count).map { row in
      HubRun(
        id: rows.text(row, 0) ?? "", scenario: rows.text(row, 1) ?? "",
        variant: rows.text(row, 2) ?? "", label: rows.text(row, 3), commit: rows.text(row, 4),
        isDirty: rows.int(row, 5).map { $0 == 1 }, host: rows.text(row, 6),
        started: Timestamp(milliseconds: rows.int(row, 7) ?? 0),
        launches: Int(rows.int(row, 8) ?? 0), failed: Int(rows.int(row, 9) ?? 0),
        pushedBy: rows.text(row, 10) ?? "", recordBytes: Int(rows.int(row, 11) ?? 0),
        bulkBytes: rows.int(row, 12).map { Int($0) })
    }
    try refuseUnknown(filter, among: runs.count)
    return runs
  }

  /// Refuses references of which none matches a run.
  func refuseUnknown(_ filter: HubFilter, among count: Int) throws(HubError) {
    guard count == 0, let first = filter.references.first else { return }
    throw .unknownReference(hub: name, text: first)
  }
}
