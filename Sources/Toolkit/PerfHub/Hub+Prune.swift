public import PerfModel
internal import PerfStore

/// The rules of `Hub.prune`: older runs of each scenario, variant and machine are removed, and older jobs.
public struct HubRetention: Hashable, Sendable {
  /// The number of the latest runs that are kept, and of the latest finished jobs; nil for all.
  public var runs: Int?
  /// The number of the latest runs that keep their profiles and other bulky parts; nil for all.
  public var profiles: Int?
  /// Runs that started at or after this time are kept with their profiles, and jobs that were submitted then; nil for
  /// no such time.
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
  /// The numbers of removed jobs.
  public let jobs: [Int]
  /// The bytes of the removed content.
  public let bytes: Int
}

extension Hub {
  /// Removes old runs, old profiles and old finished jobs in one transaction.
  ///
  /// Runs of baselines and of decided comparisons are kept, and so are all runs of a comparison of which one is kept.
  /// Profiles are removed from kept runs, too. Comparisons without their runs are removed. Waiting and running jobs are
  /// kept. With a number of runs, the shards of gates are removed a week after they were pushed.
  ///
  /// - Returns: The removed runs, profiles and jobs.
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
      let jobs = try retention.runs.map { try removeJobs(beyond: $0, since: retention.since) }
      if retention.runs != nil { try removeShards(since: retention.since) }
      return HubPruning(
        removed: removed?.ids ?? [], thinned: thinned?.ids ?? [], jobs: jobs ?? [],
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

  /// Removes finished jobs with their events; jobs are counted in the order of their submission.
  private func removeJobs(beyond count: Int, since: Timestamp?) throws -> [Int] {
    let deleted = try connection.run(
      """
      DELETE FROM perfkit.jobs WHERE id IN (
        SELECT id FROM (
          SELECT id, submitted, row_number() OVER (ORDER BY id DESC) AS place
          FROM perfkit.jobs WHERE state IN (\(Self.finalStates))) AS ranked
        WHERE place > $1::bigint AND extract(epoch FROM submitted) * 1000 < $2::bigint)
      RETURNING id::text
      """, Self.values(count, since))
    return deleted.texts.compactMap { Int($0) }.sorted()
  }

  private static var finalStates: String {
    Job.State.allCases.filter(\.isFinal).map { "'\($0.rawValue)'" }.joined(separator: ", ")
  }

  private func removeShards(since: Timestamp?) throws {
    try connection.run(
      """
      DELETE FROM perfkit.shards
      WHERE pushed < now() - interval '7 days' AND extract(epoch FROM pushed) * 1000 < $1::bigint
      """, [.int(since?.milliseconds ?? .max)])
  }

  private static func values(_ count: Int, _ since: Timestamp?) -> [SQLValue] {
    [.int(Int64(count)), .int(since?.milliseconds ?? .max)]
  }

  private static func sum(_ rows: Rows) -> Int { rows.texts.reduce(0) { $0 + (Int($1) ?? 0) } }
}
