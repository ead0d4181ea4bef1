internal import GRDB
public import PerfModel

extension RunStore {
  /// Imports the content of another store in one transaction.
  ///
  /// Stored items do not change, so a second import has no effect; a stored run receives bulky parts that it
  /// lacks. A comparison receives further sessions of the source, including sessions whose runs were removed here.
  ///
  /// - Throws: `StoreError.notImportable` for invalid content, `differentContent` if an id is used
  ///   for another item in this store. An error leaves the store unchanged.
  public func importContent(of source: ImportSource) throws(StoreError) -> StoreTransfer {
    do {
      return try write { db in
        var importer = Importer(origin: source.store.path, target: self, db: db)
        try importer.copy(source.store)
        return importer.transfer
      }
    } catch {
      // Errors of the source have its path; all others belong to this store.
      if case .damaged(source.store.path, _) = error {
        throw ImportSource.refusal(error, path: source.path)
      }
      throw error
    }
  }

  /// Imports items of another storage in one transaction, by the checks of `importContent(of:)`.
  ///
  /// All runs of the comparisons and baselines are in this store or among the runs. A baseline replaces one that was
  /// saved before. Other processes cannot write to the store meanwhile.
  ///
  /// - Parameters:
  ///   - items: The comparisons, decisions and baselines.
  ///   - origin: The name of the storage, for messages.
  ///   - nextRuns: Returns some complete runs, none at the end.
  /// - Returns: The numbers of items.
  /// - Throws: The errors of `importContent(of:)`, and `StoreError` of `nextRuns`; `failed` for its other errors.
  public func importItems(
    _ items: ExchangedItems, from origin: String, nextRuns: () throws -> [Run]
  ) throws(StoreError) -> StoreTransfer {
    do {
      return try write { db in
        var importer = Importer(origin: origin, target: self, db: db)
        while case let runs = try nextRuns(), !runs.isEmpty {
          for run in runs { try importer.copy(run) }
        }
        for comparison in items.comparisons { try importer.copy(comparison) }
        for decision in items.decisions { try importer.copy(decision) }
        for baseline in items.baselines { try importer.copy(baseline) }
        return importer.transfer
      }
    } catch {
      if case .damaged(origin, let detail) = error {
        throw .notImportable(path: origin, cause: "it is damaged: \(detail)")
      }
      throw error
    }
  }
}

/// Copies items into a store in a transaction.
struct Importer {
  /// The path of the source in errors about its content.
  let origin: String
  let target: RunStore
  let db: Database
  private(set) var transfer = StoreTransfer()
  private let shared = SharedKeys()
  /// The decisions of the target; nil until they are needed.
  private var decisions: [Decision]?

  init(origin: String, target: RunStore, db: Database) {
    self.origin = origin
    self.target = target
    self.db = db
  }

  /// Copies all runs, comparisons and decisions of a store.
  mutating func copy(_ source: RunStore) throws {
    for header in try source.headers().reversed() {
      guard header.state != .running else {
        transfer.unfinished.append(header.id)
        continue
      }
      try copy(try source.run(id: header.id))
    }
    for comparison in try source.comparisons().reversed() { try copy(comparison) }
    for decision in try source.decisions() { try copy(decision) }
  }

  mutating func copy(_ run: Run) throws {
    try check(run)
    let writer = RunWriter(db: db, id: run.id, shared: shared)
    if try target.holds(run, db) {
      if try writer.complete(by: run) { transfer.completed += 1 } else { transfer.known += 1 }
    } else {
      try writer.insertWhole(run, state: run.endState)
      transfer.runs += 1
    }
  }

  /// Checks the names of a run, which may be used as references and file names.
  private func check(_ run: Run) throws {
    do {
      try RunRecord.checkNames(
        id: run.id, scenario: run.scenario, variant: run.variant, label: run.label,
        started: run.started.milliseconds)
    } catch {
      throw damaged(error.text)
    }
  }

  mutating func copy(_ comparison: StoredComparison) throws {
    let launches = comparison.design.launchesPerPair ?? 1
    guard RunRecord.isIdentifier(comparison.id), (1...1000).contains(launches),
      comparison.design.maxPairs > 0, comparison.design.gatingCount >= 0
    else { throw damaged("comparison \(comparison.id.prefix(40)) is invalid") }
    let own = try target.comparisons(where: "id = ?", [comparison.id], db).first
    if let own {
      switch comparison.relation(to: own) {
      case .unrelated: throw StoreError.differentContent(id: comparison.id)
      case .same, .earlier:
        transfer.known += 1
        return
      case .later: break
      }
    }
    let legs = own?.legs ?? []
    // Legs are ordered: a leg with an unfinished run is left out together with all later legs.
    let whole = Array(
      comparison.legs.prefix { leg in
        !transfer.unfinished.contains(leg.base) && !transfer.unfinished.contains(leg.candidate)
      })
    guard !whole.isEmpty, legs.isContained(in: whole) else { return }
    try target.save(comparison, db)
    try target.removeLegs(ofComparison: comparison.id, db)
    for leg in whole { try target.append(leg, toComparison: comparison.id, db) }
    transfer.comparisons += 1
  }

  mutating func copy(_ decision: Decision) throws {
    var own = try decisions ?? target.decisions(db)
    guard !own.contains(where: { $0.isSame(as: decision) }) else {
      transfer.known += 1
      decisions = own
      return
    }
    var decision = decision
    if !(1..<1_000_000).contains(decision.number)
      || own.contains(where: { $0.number == decision.number })
    {
      let next = try db.nextDecisionNumber()
      transfer.renumbered[decision.number] = next
      decision.number = next
    }
    try db.insert(decision)
    own.append(decision)
    decisions = own
    transfer.decisions += 1
  }

  mutating func copy(_ baseline: ExchangedItems.Baseline) throws {
    do {
      try StoredName.check(baseline.name)
    } catch {
      throw damaged("\(error)")
    }
    if let own = try target.storedBaseline(baseline.name, db),
      own.saved >= baseline.saved || own.runs.map(\.id) == baseline.runs
    {
      transfer.known += 1
      return
    }
    try target.saveBaseline(
      baseline.name, runs: baseline.runs, saved: baseline.saved, isAdding: false, db)
    transfer.baselines += 1
  }

  private func damaged(_ detail: String) -> StoreError { .damaged(path: origin, detail: detail) }
}

extension Decision {
  /// Returns whether two decisions are equal except for their numbers.
  fileprivate func isSame(as other: Decision) -> Bool {
    var other = other
    other.number = number
    return self == other
  }
}
