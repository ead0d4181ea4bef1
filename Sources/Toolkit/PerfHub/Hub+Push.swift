internal import PerfModel
public import PerfStore

/// The numbers of items that were pushed.
public struct HubTransfer: Hashable, Sendable {
  /// Runs that the hub did not have.
  public var runs = 0
  /// Runs of the hub that received their profiles and other bulky parts.
  public var completed = 0
  /// Comparisons, and comparisons that received further sessions.
  public var comparisons = 0
  /// Decisions.
  public var decisions = 0
  /// Baselines, and baselines that were saved later than the hub's.
  public var baselines = 0
  /// Items that the hub had before, with the same content.
  public var known = 0
  /// Ids of unfinished runs, which are not pushed.
  public var unfinished: [String] = []
  /// The bytes of new runs on the hub.
  public var bytes = 0
}

extension Hub {
  /// Pushes runs of a store, the comparisons that consist of pushed runs, their decisions, and baselines.
  ///
  /// Each item is written by one statement, so that an error or a killed process leaves no half of an item; the items
  /// before it are on the hub. A second push writes nothing.
  ///
  /// - Parameters:
  ///   - ids: The full ids of runs.
  ///   - baselines: The names of baselines; their runs are pushed as well.
  ///   - store: The store.
  ///   - observe: Called with the number of finished runs and of all runs.
  /// - Returns: The numbers of items.
  /// - Throws: `HubError.differentContent` if the hub has another item with the same id.
  public func push(
    _ ids: [String], baselines: [String] = [], of store: RunStore,
    observe: (Int, Int) -> Void = { _, _ in }
  ) throws -> HubTransfer {
    var transfer = HubTransfer()
    let named = try baselines.map { try store.baseline(named: $0) }
    var sent: Set<String> = []
    let wanted = (ids + named.flatMap { $0.runs.map(\.id) }).filter { sent.insert($0).inserted }
    var done = 0
    var cache = DigestCache(of: store)
    defer { cache.save() }
    for part in Self.parts(of: wanted) {
      try push(part, of: store, &cache, &transfer) { observe(done + $0, wanted.count) }
      done += part.count
    }
    sent.subtract(transfer.unfinished)
    try pushComparisons(of: sent, store, &transfer)
    for baseline in named { try push(baseline, &transfer) }
    return transfer
  }

  // MARK: - Runs

  /// A run of the hub.
  private struct KnownRun {
    let digest: String
    let hasBulk: Bool
  }

  private func knownRuns(_ ids: [String]) throws -> [String: KnownRun] {
    let rows = try connection.run(
      """
      SELECT id, digest, (bulk IS NOT NULL)::int::text FROM perfkit.runs
      WHERE id = ANY($1::text[])
      """, [.list(ids)])
    var known: [String: KnownRun] = [:]
    for row in 0..<rows.count {
      guard let id = rows.text(row, 0), let digest = rows.text(row, 1) else { continue }
      known[id] = KnownRun(digest: digest, hasBulk: rows.int(row, 2) == 1)
    }
    return known
  }

  private func push(
    _ ids: [String], of store: RunStore, _ cache: inout DigestCache,
    _ transfer: inout HubTransfer, observe: (Int) -> Void
  ) throws {
    let known = try knownRuns(ids)
    for (place, id) in ids.enumerated() {
      defer { observe(place + 1) }
      let header = try store.header(id: id)
      guard header.state != .running else {
        transfer.unfinished.append(id)
        continue
      }
      guard let present = known[id] else {
        cache.insert(try push(header, of: store, &transfer), of: id)
        continue
      }
      if cache[id] != present.digest {
        try compare(store.run(id: id, including: []), present.digest, store)
        cache.insert(present.digest, of: id)
      }
      if present.hasBulk {
        transfer.known += 1
      } else {
        try complete(id, of: store, &transfer)
      }
    }
  }

  /// Checks that the hub's run with an id has the same content.
  private func compare(_ run: Run, _ digest: String, _ store: RunStore) throws {
    guard try RunText(run).digest != digest else { return }
    // A run that another version wrote may have the same content in another text.
    let rows = try connection.run(
      "SELECT record, record_size::text FROM perfkit.runs WHERE id = $1", [.text(run.id)])
    guard rows.count == 1 else { throw removed("run \(run.id)") }
    let text = RunText(
      json: try Self.content(rows.bytes(0, 0), size: rows.int(0, 1), of: run.id, hub: name))
    guard try text.isMeasurement(of: run, from: "hub \(name)") else {
      throw HubError.differentContent(hub: name, store: store.path, id: run.id)
    }
  }

  /// Pushes a new run; returns its digest on the hub.
  private func push(
    _ header: RunHeader, of store: RunStore, _ transfer: inout HubTransfer
  ) throws -> String {
    let run = try store.run(id: header.id)
    let record = try RunText(run)
    let bulk = try run.hasBulk ? RunStore.bytes(of: run) : nil
    let (small, large) = (Compression.compressed(record.json), bulk.map(Compression.compressed))
    let inserted = try connection.run(
      """
      INSERT INTO perfkit.runs (id, scenario, variant, label, commit_hash, is_dirty, machine, host,
        started_ms, launches, failed, is_interrupted, digest, record, record_size, bulk, bulk_size)
      VALUES ($1, $2, $3, $4, $5, $6::boolean, $7, $8, $9::bigint, $10::integer, $11::integer,
        $12::boolean, $13, $14, $15::integer, $16, $17::integer)
      ON CONFLICT (id) DO NOTHING
      """,
      [
        .text(run.id), .text(run.scenario), .text(run.variant), SQLValue(run.label),
        SQLValue(header.commit), SQLValue(header.isDirty.map { $0 ? "true" : "false" }),
        .text(run.environment.machine), SQLValue(run.environment[.host]),
        .int(run.started.milliseconds), .int(Int64(header.completed)), .int(Int64(header.failed)),
        .text(header.state == .interrupted ? "true" : "false"), .text(record.digest),
        .bytes(small), .int(Int64(record.json.count)), large.map(SQLValue.bytes) ?? .null,
        bulk.map { SQLValue.int(Int64($0.count)) } ?? .null,
      ])
    if inserted.changes == 1 {
      transfer.runs += 1
      transfer.bytes += small.count + (large?.count ?? 0)
      return record.digest
    }
    // Another process pushed the run at the same time.
    guard let present = try knownRuns([run.id])[run.id] else { throw removed("run \(run.id)") }
    try compare(run, present.digest, store)
    transfer.known += 1
    return present.digest
  }

  private func removed(_ item: String) -> HubError {
    .failed(hub: name, cause: "\(item) was removed while it was pushed")
  }

  /// Adds the bulky parts of a run, if the store has them.
  private func complete(_ id: String, of store: RunStore, _ transfer: inout HubTransfer) throws {
    guard try store.runsWithBulk(among: [id]) == [id] else {
      transfer.known += 1
      return
    }
    let bulk = try RunStore.bytes(of: store.run(id: id))
    let compressed = Compression.compressed(bulk)
    let updated = try connection.run(
      "UPDATE perfkit.runs SET bulk = $2, bulk_size = $3::integer WHERE id = $1 AND bulk IS NULL",
      [.text(id), .bytes(compressed), .int(Int64(bulk.count))])
    // Another process may have added them at the same time.
    guard updated.changes == 1 else {
      transfer.known += 1
      return
    }
    transfer.completed += 1
    transfer.bytes += compressed.count
  }

  // MARK: - Comparisons, decisions and baselines

  private func pushComparisons(
    of runs: Set<String>, _ store: RunStore, _ transfer: inout HubTransfer
  ) throws {
    var compared: Set<String> = []
    for comparison in try store.comparisons().reversed() where comparison.isWithin(runs) {
      try push(comparison, store, &transfer)
      compared.insert(comparison.id)
    }
    for decision in try store.decisions() where compared.contains(decision.comparison) {
      var decision = decision
      decision.number = 0
      let record = try JSONText.encode(decision)
      let inserted = try connection.run(
        """
        INSERT INTO perfkit.decisions (digest, comparison, decided_ms, record)
        VALUES ($1, $2, $3::bigint, $4) ON CONFLICT (digest) DO NOTHING
        """,
        [
          .text(StableHash.text(of: record)), .text(decision.comparison), .int(decision.decided),
          .text(record),
        ])
      if inserted.changes == 1 { transfer.decisions += 1 } else { transfer.known += 1 }
    }
  }

  private func push(
    _ comparison: StoredComparison, _ store: RunStore, _ transfer: inout HubTransfer
  ) throws {
    let values: [SQLValue] = [
      .text(comparison.id), .text(comparison.subject), .int(comparison.started.milliseconds),
      .text(comparison.isFinished ? "true" : "false"), .list(comparison.runs),
      .text(try JSONText.encode(comparison)),
    ]
    try connection.transaction {
      // The insertion waits for another process that inserts the comparison, and then finds it.
      let inserted = try connection.run(
        """
        INSERT INTO perfkit.comparisons (id, subject, started_ms, is_finished, runs, record)
        VALUES ($1, $2, $3::bigint, $4::boolean, $5::text[], $6) ON CONFLICT (id) DO NOTHING
        """, values)
      if inserted.changes == 0 {
        guard try isLater(comparison, store) else {
          transfer.known += 1
          return
        }
        try connection.run(
          """
          UPDATE perfkit.comparisons SET is_finished = $2::boolean, runs = $3::text[], record = $4
          WHERE id = $1
          """, [values[0]] + values[3...])
      }
      transfer.comparisons += 1
    }
  }

  /// Locks the hub's state of a comparison, and returns whether it is an earlier one.
  ///
  /// - Throws: `HubError.differentContent` if it belongs to another measurement.
  private func isLater(_ comparison: StoredComparison, _ store: RunStore) throws -> Bool {
    let rows = try connection.run(
      "SELECT record FROM perfkit.comparisons WHERE id = $1 FOR UPDATE", [.text(comparison.id)])
    guard let text = rows.text(0, 0) else { throw removed("comparison \(comparison.id)") }
    switch comparison.relation(to: try storedComparison(text)) {
    case .unrelated:
      throw HubError.differentContent(hub: name, store: store.path, id: comparison.id)
    case .same, .earlier: return false
    case .later: return true
    }
  }

  /// Returns the comparison of a row.
  func storedComparison(_ record: String) throws -> StoredComparison {
    do {
      return try JSONText.decode(record)
    } catch {
      throw HubError.damaged(hub: name, detail: "the record of a comparison cannot be read")
    }
  }

  private func push(_ baseline: Baseline, _ transfer: inout HubTransfer) throws {
    let saved = try connection.run(
      """
      INSERT INTO perfkit.baselines AS present (name, saved_ms, runs)
      VALUES ($1, $2::bigint, $3::text[])
      ON CONFLICT (name) DO UPDATE SET saved_ms = excluded.saved_ms, runs = excluded.runs
        WHERE present.saved_ms < excluded.saved_ms
      """,
      [
        .text(baseline.name), .int(baseline.saved.milliseconds), .list(baseline.runs.map(\.id)),
      ])
    if saved.changes == 1 { transfer.baselines += 1 } else { transfer.known += 1 }
  }
}

extension Run {
  /// Whether the run has parts beyond its metrics.
  var hasBulk: Bool {
    profile != nil || work != nil
      || launches.contains { !$0.series.isEmpty || !$0.frames.isEmpty || !$0.spans.isEmpty }
  }
}
