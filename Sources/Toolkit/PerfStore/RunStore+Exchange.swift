internal import Foundation
internal import GRDB
internal import PerfModel

extension RunStore {
  /// Writes runs into a file of their own, a store like this one.
  ///
  /// Comparisons go with them when all their runs do, and decisions with their comparisons. Baselines,
  /// certificates of the machine and looked-up symbols stay.
  ///
  /// - Parameters:
  ///   - destination: A file that is not there yet.
  ///   - ids: Whole ids of runs; nil for all.
  ///   - contents: Which bulky parts go.
  /// - Returns: What went; runs that are unfinished stay.
  /// - Throws: `StoreError.unknownRun`, `notWritable` (of the file), `damaged`, `locked`, `diskFull` or
  ///   `failed`.
  public func export(
    to destination: String, runs ids: [String]? = nil, including contents: RunContents = .all
  ) throws(StoreError) -> StoreTransfer {
    let file = StoreFile(path: destination)
    if FileManager.default.fileExists(atPath: file.path) {
      throw .notWritable(path: file.path, cause: "a file of that name exists")
    }
    let part = file.pathOfPart
    defer {
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: part + ending)
      }
    }
    let copy = try RunStore(path: part)
    var transfer = StoreTransfer()
    var sent: Set<String> = []
    for header in try headers().reversed() where ids?.contains(header.id) ?? true {
      guard header.state != .running else {
        transfer.unfinished.append(header.id)
        continue
      }
      try copy.save(try run(id: header.id, including: contents))
      sent.insert(header.id)
    }
    let missing = ids?.first { !sent.contains($0) && !transfer.unfinished.contains($0) }
    if let missing { throw .unknownRun(id: missing) }
    transfer.runs = sent.count
    for comparison in try comparisons().reversed() where comparison.isWithin(sent) {
      try copy.save(comparison)
      for leg in comparison.legs { try copy.append(leg, toComparison: comparison.id) }
      transfer.comparisons += 1
    }
    let compared = Set(try copy.comparisons().map(\.id))
    for decision in try decisions() where compared.contains(decision.comparison) {
      try copy.write { db in try DecisionWriter(db: db).insert(decision) }
      transfer.decisions += 1
    }
    try copy.backUp(to: file.path)
    return transfer
  }
}

extension StoredComparison {
  /// Whether it has runs, all of them among these.
  fileprivate func isWithin(_ runs: Set<String>) -> Bool {
    !legs.isEmpty && legs.allSatisfy { runs.contains($0.base) && runs.contains($0.candidate) }
  }
}

extension RunStore {
  /// Takes all that another store holds into this one, in one transaction.
  ///
  /// What is here already stays as it is, so that a second import changes nothing. A comparison that got
  /// further sessions there gets them here, too, and those back that it lost here with their runs.
  ///
  /// - Parameter source: The other one, which is not changed.
  /// - Returns: What came.
  /// - Throws: `StoreError.notImportable` for content that makes no sense, `differentContent` when something
  ///   else has an id of it here, `locked`, `diskFull` or `failed`; nothing was changed then.
  public func importContent(of source: ImportSource) throws(StoreError) -> StoreTransfer {
    do {
      return try write { db in
        try Importer(source: source.store, target: self, db: db).run()
      }
    } catch {
      // Errors of the source carry its path; those of this store are its own.
      if case .damaged(source.store.path, _) = error {
        throw ImportSource.refusal(error, path: source.path)
      }
      throw error
    }
  }
}

/// Copies what a store holds, within a transaction of the other one.
private struct Importer {
  let source: RunStore
  let target: RunStore
  let db: Database

  func run() throws -> StoreTransfer {
    var transfer = StoreTransfer()
    try copyRuns(&transfer)
    try copyComparisons(&transfer)
    try copyDecisions(&transfer)
    return transfer
  }

  private func copyRuns(_ transfer: inout StoreTransfer) throws {
    for header in try source.headers().reversed() {
      guard header.state != .running else {
        transfer.unfinished.append(header.id)
        continue
      }
      let run = try source.run(id: header.id)
      try check(run)
      if try target.holds(run, db) {
        transfer.known += 1
      } else {
        try RunWriter(db: db, id: run.id).insertWhole(run)
        transfer.runs += 1
      }
    }
  }

  /// What is compared and shown as a reference must be one.
  private func check(_ run: Run) throws {
    do {
      try RunRecord(run).checkNames()
    } catch {
      throw StoreError.damaged(path: source.path, detail: error.text)
    }
  }

  private func copyComparisons(_ transfer: inout StoreTransfer) throws {
    let known = Dictionary(
      uniqueKeysWithValues: try target.comparisons(where: "1", [], db).map { ($0.id, $0) })
    for comparison in try source.comparisons().reversed() {
      let launches = comparison.design.launchesPerPair ?? 1
      guard RunRecord.isIdentifier(comparison.id), (1...1000).contains(launches),
        (1...1000).contains(comparison.design.maxPairs), comparison.design.gatingCount >= 0
      else {
        throw StoreError.damaged(
          path: source.path, detail: "comparison \(comparison.id.prefix(40)) makes no sense")
      }
      let legs = known[comparison.id]?.legs ?? []
      if let own = known[comparison.id] {
        let isSame = own.subject == comparison.subject && own.started == comparison.started
        // Either may have gone on meanwhile, or lost sessions whose runs were removed.
        guard isSame, legs.isContained(in: comparison.legs) || comparison.legs.isContained(in: legs)
        else { throw StoreError.differentContent(id: comparison.id) }
        guard comparison.legs.count > legs.count else {
          transfer.known += 1
          continue
        }
      }
      // A leg whose run is unfinished stays, and those behind it: they are in order.
      let whole = Array(
        comparison.legs.prefix { leg in
          !transfer.unfinished.contains(leg.base) && !transfer.unfinished.contains(leg.candidate)
        })
      guard whole.count > legs.count, legs.isContained(in: whole) else { continue }
      try target.save(comparison, db)
      try target.removeLegs(ofComparison: comparison.id, db)
      for leg in whole { try target.append(leg, toComparison: comparison.id, db) }
      transfer.comparisons += 1
    }
  }

  private func copyDecisions(_ transfer: inout StoreTransfer) throws {
    let writer = DecisionWriter(db: db)
    var own = try target.decisions(db)
    for decision in try source.decisions() {
      guard !own.contains(where: { $0.isSame(as: decision) }) else {
        transfer.known += 1
        continue
      }
      var decision = decision
      if !(1..<1_000_000).contains(decision.number)
        || own.contains(where: { $0.number == decision.number })
      {
        let next = try writer.nextNumber()
        transfer.renumbered[decision.number] = next
        decision.number = next
      }
      try writer.insert(decision)
      own.append(decision)
      transfer.decisions += 1
    }
  }
}

extension [StoredComparison.Leg] {
  /// Whether other legs are these, in this order, and perhaps more.
  fileprivate func isContained(in other: [StoredComparison.Leg]) -> Bool {
    var rest = other[...]
    return allSatisfy { leg in
      guard let place = rest.firstIndex(of: leg) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }
}

extension Decision {
  /// Whether both say the same; their numbers are each ledger's own.
  fileprivate func isSame(as other: Decision) -> Bool {
    var other = other
    other.number = number
    return self == other
  }
}
