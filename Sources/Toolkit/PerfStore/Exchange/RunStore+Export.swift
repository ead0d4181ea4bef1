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
