internal import Foundation
internal import PerfModel
public import PerfReport
internal import PerfStatistics
internal import PerfStore

/// Comparisons of the same two revisions, each made on a machine of its own.
public struct AcrossMachines {
  private let comparisons: [PairedComparison]

  /// Loads comparisons.
  ///
  /// - Parameters:
  ///   - ids: The ids of at least two comparisons.
  ///   - path: The path of the store.
  /// - Throws: `StoreError`, `StatisticsError`, or `Failure` if they are of different subjects, or two are of one
  ///   machine.
  public init(ids: [String], inStoreAt path: String) throws {
    guard ids.count >= 2 else {
      throw Failure(
        "--across needs comparisons of at least two machines. Name their ids; 'perfkit list "
          + "comparisons' shows them.", status: .usage)
    }
    if let id = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
      throw Failure("comparison \(id) is named twice. Name each one once.", status: .usage)
    }
    let store = try RunStore(path: path, access: .reading)
    comparisons = try ids.map { try PairedComparison(store.comparison(id: $0), store: store) }
    try checkSubjects()
    try checkMachines()
  }

  /// The facts in which all comparisons must agree, by name.
  private static func subject(_ comparison: PairedComparison) -> [(name: String, value: String)] {
    func revision(_ run: Run) -> String {
      run.environment[.tree].map { "tree \($0)" } ?? run.environment[.commit] ?? "unknown"
    }
    let (base, candidate) = comparison.longest
    return [
      ("the scenario", candidate.scenario),
      ("the base's variant", base.variant), ("the candidate's variant", candidate.variant),
      ("the base's revision", revision(base)), ("the candidate's revision", revision(candidate)),
      ("the parameters", "\(candidate.parameters.sorted { $0.key < $1.key })"),
    ]
  }

  private func checkSubjects() throws {
    let first = Self.subject(comparisons[0])
    for other in comparisons.dropFirst() {
      for (one, two) in zip(first, Self.subject(other)) where one.value != two.value {
        throw Failure(
          "\(one.name) of \(comparisons[0].stored.id) is '\(one.value)', that of \(other.stored.id) is "
            + "'\(two.value)'. Only comparisons of the same two revisions can be combined.")
      }
    }
  }

  private static func machine(_ comparison: PairedComparison) -> String {
    comparison.longest.candidate.environment.machine
  }

  private func checkMachines() throws {
    var seen: [String: String] = [:]
    for comparison in comparisons {
      let (machine, id) = (Self.machine(comparison), comparison.stored.id)
      if let other = seen[machine] {
        throw Failure(
          "comparisons \(other) and \(id) are of the same machine "
            + "(\(Self.name(of: comparison) ?? "unknown")). Name one comparison of each machine; to add "
            + "pairs to a comparison, repeat its command with a greater --min-pairs.")
      }
      seen[machine] = id
    }
  }

  private static func name(of comparison: PairedComparison) -> String? {
    comparison.longest.candidate.environment[.host]
  }

  /// The combination of the gating metrics.
  public var document: AcrossDocument {
    let all = comparisons.map(\.comparison)
    let names = all[0].metrics.filter(\.isGating).map(\.definition.name)
    let shared = names.filter { name in
      all.allSatisfy { $0.metrics.contains { $0.isGating && $0.definition.name == name } }
    }
    let metrics = shared.compactMap { name -> CombinedChange? in
      guard let definition = all[0].metrics.first(where: { $0.definition.name == name })?.definition
      else { return nil }
      return CombinedChange(
        definition,
        gains: comparisons.map { comparison in
          let design = comparison.stored.design
          return PairedGain(
            comparison.pairs, of: definition, margin: design.policy.margin(of: name),
            launchesPerPair: design.launchesPerPair ?? 1, layouts: design.layouts ?? 1)
        },
        gatingCount: shared.count)
    }
    return AcrossDocument(
      machines: comparisons.map { comparison in
        AcrossDocument.Machine(
          name: Self.name(of: comparison) ?? "unknown", comparison: comparison.stored.id,
          pairs: comparison.pairs.count, verdict: comparison.comparison.verdict)
      },
      base: all[0].base, candidate: all[0].candidate, metrics: metrics,
      unshared: names.filter { !shared.contains($0) })
  }
}
