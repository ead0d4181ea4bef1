public import PerfModel
internal import PerfStore

/// The rules of `Hub.prune`: older runs of each scenario, variant and machine are removed.
public struct HubRetention: Hashable, Sendable {
  /// The number of the latest runs that are kept; nil for all.
  public var runs: Int?
  /// The number of the latest runs that keep their profiles and other bulky parts; nil for all.
  public var profiles: Int?
  /// Runs that started at or after this time are kept with their profiles; nil for no such time.
  public var since: Timestamp?

  /// Creates rules.
  public init(runs: Int? = nil, profiles: Int? = nil, since: Timestamp? = nil) {
    self.runs = runs
    self.profiles = profiles
    self.since = since
  }
}

/// The result of `Hub.prune`.
public struct HubPruning: Hashable, Sendable {
  /// The ids of removed runs.
  public let removed: [String]
  /// The ids of runs that lost their bulky parts.
  public let thinned: [String]
  /// The bytes of the removed content.
  public let bytes: Int
}

extension Hub {
  /// Removes old runs and old profiles in one transaction.
  ///
  /// Runs of baselines and of decided comparisons are kept, and so are all runs of a comparison of which one is kept.
  /// Profiles are removed from kept runs, too. Comparisons without their runs are removed.
  ///
  /// - Returns: The removed runs and profiles.
  /// - Throws: `HubError.notOwner` unless the user owns the hub.
  public func prune(_ retention: HubRetention) throws -> HubPruning {
    // Writers may update runs, so PostgreSQL itself would let them remove profiles.
    let right = try connection.run(
      "SELECT has_table_privilege('perfkit.runs', 'DELETE')::int::text")
    guard right.int(0, 0) == 1 else { throw HubError.notOwner(hub: name) }
    return try connection.transaction {
      // A push at the same time waits, so that no baseline, comparison or decision needs a run that is removed.
      try connection.run(
        """
        LOCK TABLE perfkit.runs, perfkit.comparisons, perfkit.decisions, perfkit.baselines
        IN SHARE ROW EXCLUSIVE MODE
        """)
      let removed = try retention.runs.map { try remove(beyond: $0, since: retention.since) }
      let thinned = try retention.profiles.map { try thin(beyond: $0, since: retention.since) }
      return HubPruning(
        removed: removed?.ids ?? [], thinned: thinned?.ids ?? [],
        bytes: (removed?.bytes ?? 0) + (thinned?.bytes ?? 0))
    }
  }

  /// A query of the runs beyond the latest ones, with their places.
  private static let ranked = """
    SELECT id FROM (
      SELECT id, started_ms, row_number() OVER (
        PARTITION BY scenario, variant, machine ORDER BY started_ms DESC, id DESC) AS place
      FROM perfkit.runs) AS ranked
    WHERE place > $1::bigint AND started_ms < $2::bigint
    """

  private func remove(
    beyond count: Int, since: Timestamp?
  ) throws -> (ids: [String], bytes: Int) {
    let old = try connection.run(
      """
      \(Self.ranked)
        AND id NOT IN (SELECT unnest(runs) FROM perfkit.baselines)
        AND id NOT IN (
          SELECT unnest(runs) FROM perfkit.comparisons
          WHERE id IN (SELECT comparison FROM perfkit.decisions))
      """, Self.values(count, since))
    let comparisons = try connection.run("SELECT to_json(runs)::text FROM perfkit.comparisons")
    let groups: [Set<String>] = try comparisons.texts.map { try JSONText.decode($0) }
    let ids = Retention.sparingParts(of: groups, in: Set(old.texts)).sorted()
    let deleted = try connection.run(
      """
      DELETE FROM perfkit.runs WHERE id = ANY($1::text[])
      RETURNING (octet_length(record) + coalesce(octet_length(bulk), 0))::text
      """, [.list(ids)])
    try connection.run("DELETE FROM perfkit.comparisons WHERE runs && $1::text[]", [.list(ids)])
    return (ids, Self.sum(deleted))
  }

  private func thin(beyond count: Int, since: Timestamp?) throws -> (ids: [String], bytes: Int) {
    let old = try connection.run(
      """
      SELECT id, octet_length(bulk)::text FROM perfkit.runs
      WHERE bulk IS NOT NULL AND id IN (\(Self.ranked)) ORDER BY id
      """, Self.values(count, since))
    let ids = old.texts
    try connection.run(
      "UPDATE perfkit.runs SET bulk = NULL, bulk_size = NULL WHERE id = ANY($1::text[])",
      [.list(ids)])
    return (ids, (0..<old.count).reduce(0) { $0 + Int(old.int($1, 1) ?? 0) })
  }

  private static func values(_ count: Int, _ since: Timestamp?) -> [SQLValue] {
    [.int(Int64(count)), .int(since?.milliseconds ?? .max)]
  }

  private static func sum(_ rows: Rows) -> Int { rows.texts.reduce(0) { $0 + (Int($1) ?? 0) } }
}
