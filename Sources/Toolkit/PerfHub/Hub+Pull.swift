internal import PerfModel
public import PerfStore

extension Hub {
  /// Pulls runs that match a filter, their comparisons and decisions, and baselines of pulled runs.
  ///
  /// The hub is read as it is at one moment. All runs are imported in one transaction of the store, by the checks of
  /// `RunStore.importContent(of:)`. Bulky parts follow run by run: a pull that fails meanwhile has all metrics, and a
  /// second pull continues.
  ///
  /// - Parameters:
  ///   - filter: The runs.
  ///   - includesBulk: Whether profiles and the other bulky parts are pulled, too.
  ///   - store: The store.
  ///   - observe: Called with the number of parsed runs and of all missing runs.
  /// - Returns: The numbers of items.
  /// - Throws: `HubError.unknownReference`, `HubError.differentContent` if the store has another item with the same
  ///   id; the store is unchanged then.
  public func pull(
    _ filter: HubFilter, includesBulk: Bool, into store: RunStore,
    observe: (Int, Int) -> Void = { _, _ in }
  ) throws -> StoreTransfer {
    var cache = DigestCache(of: store)
    // A prune or push at the same time must not part runs and comparisons.
    let selected = try connection.transaction(.snapshot) {
      try selection(of: filter, lackedBy: store, cache)
    }
    // Nothing is fetched while the store is locked for other processes.
    let runs = RunParser(selected.records, of: name)
    var parsed = 0
    var problem: (any Error)?
    var transfer: StoreTransfer
    do {
      transfer = try store.importItems(selected.items, from: "hub \(name)") {
        do {
          let part = try runs.next()
          parsed += part.count
          if !part.isEmpty { observe(parsed, selected.records.count) }
          return part
        } catch {
          problem = error
          throw error
        }
      }
    } catch {
      if let problem { throw problem }
      guard case .differentContent(let id) = error else { throw error }
      throw HubError.differentContent(hub: name, store: store.path, id: id)
    }
    transfer.known += selected.listed.count - selected.records.count
    for run in selected.listed { cache.insert(run.digest, of: run.id) }
    cache.save()
    if includesBulk {
      let ids = selected.listed.filter(\.hasBulk).map(\.id)
      try pullBulk(of: ids, into: store, &transfer, observe: observe)
    }
    return transfer
  }

  /// The content of the hub that a filter selects, at one moment.
  private struct Selection {
    let listed: [ListedRun]
    /// The runs that the store lacks, or has with another digest.
    var records: [RunParser.Record] = []
    var items = ExchangedItems()
  }

  private func selection(
    of filter: HubFilter, lackedBy store: RunStore, _ cache: DigestCache
  ) throws -> Selection {
    var selection = Selection(listed: try list(filter))
    try refuseUnknown(filter, among: selection.listed.count)
    let own = Set(try store.headers().map(\.id))
    for part in Self.parts(of: try missing(selection.listed, own, cache, in: store)) {
      selection.records += try records(part)
    }
    let pulled = selection.listed.map(\.id)
    let present = own.union(pulled)
    for part in Self.parts(of: pulled, size: 5000) {
      try addComparisons(of: part, within: present, to: &selection.items)
    }
    return selection
  }

  /// A run that matches a filter.
  private struct ListedRun {
    let id: String
    let digest: String
    let hasBulk: Bool
  }

  private func list(_ filter: HubFilter) throws -> [ListedRun] {
    let condition = try HubCondition(filter)
    let rows = try connection.run(
      condition.query("id, digest, (bulk IS NOT NULL)::int::text"), condition.values)
    // The earliest run is imported first, as in an import of a store.
    return (0..<rows.count).reversed().map { row in
      ListedRun(
        id: rows.text(row, 0) ?? "", digest: rows.text(row, 1) ?? "",
        hasBulk: rows.int(row, 2) == 1)
    }
  }

  /// Returns the ids of runs that the store lacks or has with another digest.
  private func missing(
    _ listed: [ListedRun], _ own: Set<String>, _ cache: DigestCache, in store: RunStore
  ) throws -> [String] {
    let others = listed.filter { !own.contains($0.id) || cache[$0.id] != $0.digest }
    var digests: [String: String] = [:]
    for part in Self.parts(of: others.map(\.id).filter(own.contains)) {
      for run in try store.runs(ids: part, including: []) {
        digests[run.id] = try RunText(run).digest
      }
    }
    // The import compares the contents of runs with another digest.
    return others.filter { digests[$0.id] != $0.digest }.map(\.id)
  }

  /// Fetches the metrics of runs, in the order of their ids.
  private func records(_ ids: [String]) throws -> [RunParser.Record] {
    // OFFSET makes the server look for each id; a join of hundreds of ids may read all runs instead.
    let rows = try connection.run(
      """
      SELECT run.id, record, record_size::text
      FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place)
      CROSS JOIN LATERAL (
        SELECT * FROM perfkit.runs WHERE runs.id = wanted.id OFFSET 0) AS run
      ORDER BY place
      """, [.list(ids)])
    return (0..<rows.count).map { row in
      .init(id: rows.text(row, 0) ?? "", bytes: rows.bytes(row, 1), size: rows.int(row, 2))
    }
  }

  /// Adds the comparisons, decisions and baselines of runs whose other runs are present.
  private func addComparisons(
    of runs: [String], within present: Set<String>, to items: inout ExchangedItems
  ) throws {
    var known = Set(items.comparisons.map(\.id))
    let records = try connection.run(
      "SELECT record FROM perfkit.comparisons WHERE runs && $1::text[] ORDER BY started_ms, id",
      [.list(runs)])
    var compared: [String] = []
    for text in records.texts {
      let comparison = try storedComparison(text)
      guard comparison.isWithin(present), known.insert(comparison.id).inserted else { continue }
      items.comparisons.append(comparison)
      compared.append(comparison.id)
    }
    let decisions = try connection.run(
      "SELECT record FROM perfkit.decisions WHERE comparison = ANY($1::text[]) ORDER BY decided_ms",
      [.list(compared)])
    for text in decisions.texts {
      guard let decision = try? JSONText.decode(text) as Decision else {
        throw HubError.damaged(hub: name, detail: "the record of a decision cannot be read")
      }
      items.decisions.append(decision)
    }
    // A cell of the answer is a list as JSON, since arrays have a binary format.
    let baselines = try connection.run(
      """
      SELECT name, saved_ms::text, to_json(runs)::text FROM perfkit.baselines
      WHERE runs && $1::text[] ORDER BY name
      """, [.list(runs)])
    for row in 0..<baselines.count {
      let ids: [String] = try JSONText.decode(baselines.text(row, 2) ?? "")
      let name = baselines.text(row, 0) ?? ""
      guard ids.allSatisfy(present.contains), !items.baselines.contains(where: { $0.name == name })
      else { continue }
      items.baselines.append(
        .init(
          name: name, saved: Timestamp(milliseconds: baselines.int(row, 1) ?? 0), runs: ids))
    }
  }

  private func pullBulk(
    of ids: [String], into store: RunStore, _ transfer: inout StoreTransfer,
    observe: (Int, Int) -> Void
  ) throws {
    let known = try store.runsWithBulk(among: ids)
    let lacking = ids.filter { !known.contains($0) }
    for (place, id) in lacking.enumerated() {
      let rows = try connection.run(
        "SELECT bulk, bulk_size::text FROM perfkit.runs WHERE id = $1 AND bulk IS NOT NULL",
        [.text(id)])
      // A prune at the same time may have removed it.
      guard rows.count == 1 else { continue }
      let bytes = try Self.content(rows.bytes(0, 0), size: rows.int(0, 1), of: id, hub: name)
      transfer.completed += try store.importBytes(bytes, ofRun: id, from: "hub \(name)").completed
      observe(place + 1, lacking.count)
    }
  }
}
