internal import Dispatch
internal import PerfModel
public import PerfStore
internal import Synchronization

extension Hub {
  /// Pulls runs that match a filter, their comparisons and decisions, and baselines of pulled runs.
  ///
  /// All runs are imported in one transaction of the store, by the checks of `RunStore.importContent(of:)`. Bulky parts
  /// follow run by run: a pull that fails meanwhile has all metrics, and a second pull continues.
  ///
  /// - Parameters:
  ///   - filter: The runs.
  ///   - includesBulk: Whether profiles and the other bulky parts are pulled, too.
  ///   - store: The store.
  ///   - observe: Called with the number of fetched runs and of all missing runs.
  /// - Returns: The numbers of items.
  /// - Throws: `HubError.unknownReference`, `HubError.differentContent` if the store has another item with the same
  ///   id; the store is unchanged then.
  public func pull(
    _ filter: HubFilter, includesBulk: Bool, into store: RunStore,
    observe: (Int, Int) -> Void = { _, _ in }
  ) throws -> StoreTransfer {
    let listed = try list(filter)
    try refuseUnknown(filter, among: listed.count)
    let own = Set(try store.headers().map(\.id))
    var items = ExchangedItems()
    var cache = DigestCache(of: store)
    let (missing, known) = try partition(listed, own, cache, in: store)
    for part in Self.parts(of: missing) {
      items.runs += try records(part)
      observe(items.runs.count, missing.count)
    }
    let pulled = listed.map(\.id)
    let present = own.union(pulled)
    for part in Self.parts(of: pulled, size: 5000) {
      try addComparisons(of: part, within: present, to: &items)
    }
    var transfer: StoreTransfer
    do {
      transfer = try store.importItems(items, from: "hub \(name)")
    } catch {
      guard case .differentContent(let id) = error else { throw error }
      throw HubError.differentContent(hub: name, store: store.path, id: id)
    }
    transfer.known += known
    for run in listed { cache.insert(run.digest, of: run.id) }
    cache.save()
    if includesBulk {
      try pullBulk(of: listed.filter(\.hasBulk).map(\.id), into: store, &transfer, observe: observe)
    }
    return transfer
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
      """
      SELECT id, digest, (bulk IS NOT NULL)::int::text FROM perfkit.runs \(condition.sql)
      """, condition.values)
    // The earliest run is imported first, as in an import of a store.
    return (0..<rows.count).reversed().map { row in
      ListedRun(
        id: rows.text(row, 0) ?? "", digest: rows.text(row, 1) ?? "",
        hasBulk: rows.int(row, 2) == 1)
    }
  }

  /// Returns the ids of runs that the store lacks or has with another digest, and the number of the others.
  private func partition(
    _ listed: [ListedRun], _ own: Set<String>, _ cache: DigestCache, in store: RunStore
  ) throws -> (ids: [String], known: Int) {
    let others = listed.filter { !own.contains($0.id) || cache[$0.id] != $0.digest }
    var digests: [String: String] = [:]
    for part in Self.parts(of: others.map(\.id).filter(own.contains)) {
      for run in try store.runs(ids: part, including: []) {
        digests[run.id] = try RunText(run).digest
      }
    }
    // The import compares the contents of runs with another digest.
    let missing = others.filter { digests[$0.id] != $0.digest }.map(\.id)
    return (missing, listed.count - missing.count)
  }

  /// Fetches the metrics of runs, in the order of their ids.
  private func records(_ ids: [String]) throws -> [Run] {
    let rows = try connection.run(
      """
      SELECT runs.id, record, record_size::text
      FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place)
      JOIN perfkit.runs ON runs.id = wanted.id ORDER BY place
      """, [.list(ids)])
    let records = (0..<rows.count).map { row in
      Record(id: rows.text(row, 0) ?? "", bytes: rows.bytes(row, 1), size: rows.int(row, 2))
    }
    let runs = Mutex([Result<Run, any Error>?](repeating: nil, count: records.count))
    // Parsing takes longer than fetching.
    let hub = name
    DispatchQueue.concurrentPerform(iterations: records.count) { index in
      let run = Result { try records[index].run(of: hub) }
      runs.withLock { $0[index] = run }
    }
    return try runs.withLock { $0 }.compactMap { try $0?.get() }
  }

  /// The metrics of a run as the hub has them.
  private struct Record: Sendable {
    let id: String
    let bytes: [UInt8]?
    let size: Int64?

    func run(of hub: String) throws -> Run {
      let text = RunText(json: try Hub.content(bytes, size: size, of: id, hub: hub))
      let run = try text.run(from: "hub \(hub)")
      guard run.id == id else {
        throw HubError.damaged(hub: hub, detail: "the record of run \(id) is of another run")
      }
      return run
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
    for (place, id) in ids.enumerated() {
      if try store.run(id: id).hasBulk { continue }
      let rows = try connection.run(
        "SELECT bulk, bulk_size::text FROM perfkit.runs WHERE id = $1", [.text(id)])
      let bytes = try Self.content(rows.bytes(0, 0), size: rows.int(0, 1), of: id, hub: name)
      transfer.completed += try store.importBytes(bytes, ofRun: id, from: "hub \(name)").completed
      observe(place + 1, ids.count)
    }
  }
}
