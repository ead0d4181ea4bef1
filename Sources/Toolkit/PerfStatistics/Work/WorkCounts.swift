public import PerfModel

/// The counts of one side's launches, from which the work is compared.
public struct WorkCounts: Hashable, Sendable, Codable {
  /// The number of counted launches, completed or not.
  public let launches: Int
  /// Whether child processes did work that was not counted.
  public let lacksChildren: Bool
  /// The metrics of the completed launches.
  public let definitions: [MetricDefinition]
  /// The values of each counted metric, one per completed launch.
  public let values: [String: [Double]]
  /// The functions; each has a number per completed launch.
  public private(set) var functions: [WorkProfile.Function]

  /// Gathers the counts of runs with equal launches.
  public init(_ runs: [Run]) {
    launches = runs.reduce(0) { $0 + $1.profiled.count }
    lacksChildren = runs.contains { run in
      run.warnings.contains { $0.code == WorkProfile.childrenUncounted }
    }
    var known: Set<String> = []
    definitions = runs.flatMap(\.definitions).filter {
      MetricName.work.contains($0.name) && known.insert($0.name).inserted
    }
    values = Dictionary(
      uniqueKeysWithValues: known.map { name in (name, runs.flatMap { $0.values(of: name) }) })
    functions = Self.merged(runs.compactMap(\.work))
  }

  /// Returns the functions of all profiles; a function has 0 in launches that lack it.
  private static func merged(_ profiles: [WorkProfile]) -> [WorkProfile.Function] {
    guard profiles.count > 1 else { return profiles.first?.functions ?? [] }
    var order: [String] = []
    var parts: [String: [Int: WorkProfile.Function]] = [:]
    for (index, profile) in profiles.enumerated() {
      for function in profile.functions {
        if parts[function.key] == nil { order.append(function.key) }
        parts[function.key, default: [:]][index] = function
      }
    }
    return order.compactMap { key in
      guard let part = parts[key], let one = profiles.indices.lazy.compactMap({ part[$0] }).first
      else { return nil }
      func numbers(_ numbers: (WorkProfile.Function) -> [UInt64]) -> [UInt64] {
        profiles.indices.flatMap { index in
          part[index].map(numbers) ?? profiles[index].launches.map { _ in 0 }
        }
      }
      func misses(_ kind: (WorkProfile.Function) -> [UInt64]?) -> [UInt64]? {
        part.values.allSatisfy { kind($0) != nil } ? numbers { kind($0) ?? [] } : nil
      }
      return WorkProfile.Function(
        name: one.name, key: key, module: one.module, instructions: numbers(\.instructions),
        calls: numbers(\.calls), dataMisses: misses(\.dataMisses),
        branchMisses: misses(\.branchMisses))
    }
  }

  /// Returns the counts with some functions only.
  func with(functions keys: Set<String>) -> WorkCounts {
    var counts = self
    counts.functions = functions.filter { keys.contains($0.key) }
    return counts
  }
}

/// The counts of both sides of a comparison, and the design that judges them.
public struct WorkEvidence: Hashable, Sendable, Codable {
  /// The design.
  public let design: ComparisonDesign.Counting
  /// The counts of the base.
  public let base: WorkCounts
  /// The counts of the candidate.
  public let candidate: WorkCounts

  /// Gathers the counts of the runs of both sides.
  public init(_ design: ComparisonDesign.Counting, base: [Run], candidate: [Run]) {
    self.init(design, base: WorkCounts(base), candidate: WorkCounts(candidate))
  }

  private init(_ design: ComparisonDesign.Counting, base: WorkCounts, candidate: WorkCounts) {
    self.design = design
    self.base = base
    self.candidate = candidate
  }

  /// The comparison of the work.
  public var comparison: WorkComparison {
    WorkComparer(
      policy: design.policy, gatingCount: design.gatingCount, isAlone: design.isAlone
    ).compare(base, candidate)
  }

  /// The same counts without functions that the comparison does not list.
  var compact: WorkEvidence {
    let keys = Set(comparison.functions.map(\.key))
    return WorkEvidence(
      design, base: base.with(functions: keys), candidate: candidate.with(functions: keys))
  }
}
