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
      throw .exists(path: file.path)
    }
    try file.prepareForWriting()
    let compact = try PartFile(of: file.path)
    let transfer = try export(to: compact, of: file.path, runs: ids, including: contents)
    try compact.rename(to: file.path)
    return transfer
  }

  /// Exports runs to a part of a file.
  ///
  /// The copy that is not compact yet has a part of its own. This part is removed before the file gets its name, so
  /// that a finished export leaves no part.
  private func export(
    to compact: PartFile, of path: String, runs ids: [String]?, including contents: RunContents
  ) throws(StoreError) -> StoreTransfer {
    let part = try PartFile(of: path)
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
    try copy.copy(to: compact, of: path)
    return transfer
  }

  /// Returns which runs have a profile, counted work, series, frames or spans, without reading them.
  ///
  /// - Parameter ids: The full ids of runs; unknown ones are left out.
  /// - Returns: The ids of the runs with any of them.
  /// - Throws: `StoreError`.
  public func runsWithBulk(among ids: [String]) throws(StoreError) -> Set<String> {
    let select = """
      SELECT EXISTS (SELECT 1 FROM profiles WHERE run = runs.key)
        OR EXISTS (SELECT 1 FROM work WHERE run = runs.key)
        OR EXISTS (
          SELECT 1 FROM iterations WHERE run = runs.key AND (
            EXISTS (SELECT 1 FROM series WHERE iteration = iterations.key)
            OR EXISTS (SELECT 1 FROM frames WHERE iteration = iterations.key)
            OR EXISTS (SELECT 1 FROM spans WHERE iteration = iterations.key)))
      FROM runs WHERE id = ?
      """
    return try read { db in
      let statement = try db.cachedStatement(sql: select)
      return try Set(ids.filter { try Bool.fetchOne(statement, arguments: [$0]) ?? false })
    }
  }
}
