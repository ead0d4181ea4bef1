internal import Foundation
internal import GRDB
internal import PerfModel

extension RunStore {
  /// Exports runs to a new store in a file that does not exist.
  ///
  /// Comparisons are exported if all their runs are, and decisions with their comparisons.
  /// Baselines, noise certificates, symbols and unfinished runs are not exported.
  /// The runs have full ids; nil for all.
  ///
  /// - Throws: `StoreError.unknownRun` or `notWritable` (of the file).
  public func export(
    to destination: String, runs ids: [String]? = nil, including contents: RunContents = .all
  ) throws(StoreError) -> StoreTransfer {
    let file = StoreFile(path: destination)
    if FileManager.default.fileExists(atPath: file.path) {
      throw .notWritable(path: file.path, cause: "the file exists already")
    }
    try file.prepareForWriting()
    let part = try PartFile(of: file.path)
    // The part is removed after the copy has closed it.
    defer { withExtendedLifetime(part) {} }
    let copy = try RunStore(path: part.path)
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
      try copy.write { db in try db.insert(decision) }
      transfer.decisions += 1
    }
    try copy.backUp(to: file.path)
    return transfer
  }
}

extension StoredComparison {
  /// Returns whether the comparison has runs, all of them in a set.
  fileprivate func isWithin(_ runs: Set<String>) -> Bool {
    !legs.isEmpty && legs.allSatisfy { runs.contains($0.base) && runs.contains($0.candidate) }
  }
}

extension RunStore {
  /// Imports the content of another store in one transaction.
  ///
  /// Stored items do not change, so a second import has no effect. A comparison receives further
  /// sessions of the source, including sessions whose runs were removed here.
  ///
  /// - Throws: `StoreError.notImportable` for invalid content, `differentContent` if an id is used
  ///   for another item in this store. An error leaves the store unchanged.
  public func importContent(of source: ImportSource) throws(StoreError) -> StoreTransfer {
    do {
      return try write { db in
        try Importer(source: source.store, target: self, db: db).run()
      }
    } catch {
      // Errors of the source have its path; all others belong to this store.
      if case .damaged(source.store.path, _) = error {
        throw ImportSource.refusal(error, path: source.path)
      }
      throw error
    }
  }
}

/// Copies the content of a source in a transaction of the target.
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
        try RunWriter(db: db, id: run.id).insertWhole(run, state: run.endState)
        transfer.runs += 1
      }
    }
  }

  /// Checks the names of a run, which may be used as references and file names.
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
        comparison.design.maxPairs > 0, comparison.design.gatingCount >= 0
      else {
        throw StoreError.damaged(
          path: source.path, detail: "comparison \(comparison.id.prefix(40)) is invalid")
      }
      let legs = known[comparison.id]?.legs ?? []
      if let own = known[comparison.id] {
        let isSame = own.subject == comparison.subject && own.started == comparison.started
        // Each store may have further sessions, or have lost sessions whose runs were removed.
        guard isSame, legs.isContained(in: comparison.legs) || comparison.legs.isContained(in: legs)
        else { throw StoreError.differentContent(id: comparison.id) }
        guard comparison.legs.count > legs.count else {
          transfer.known += 1
          continue
        }
      }
      // Legs are ordered: a leg with an unfinished run is left out together with all later legs.
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
        let next = try db.nextDecisionNumber()
        transfer.renumbered[decision.number] = next
        decision.number = next
      }
      try db.insert(decision)
      own.append(decision)
      transfer.decisions += 1
    }
  }
}

extension [StoredComparison.Leg] {
  /// Returns whether other legs contain these legs in the same order.
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
  /// Returns whether two decisions are equal except for their numbers.
  fileprivate func isSame(as other: Decision) -> Bool {
    var other = other
    other.number = number
    return self == other
  }
}
