public import PerfModel
public import PerfStatistics

/// A comparison with its two runs, the content of reports on a comparison.
public struct ComparisonDocument: Sendable {
  /// The comparison.
  public let comparison: Comparison
  /// The base with its conclusions; nil if the run is not available.
  let base: RunDocument?
  /// The candidate with its conclusions; nil if the run is not available.
  let candidate: RunDocument?
  /// The path of the HTML report; nil without one.
  public var reportPath: String?
  /// The paths of the two HTML reports with the runs; nil if a store has them.
  public var reports: [String]?
  /// The id of the stored comparison of pairs that the runs belong to; nil if there is none.
  public var pairedComparison: String?
  /// The judged expectations of the scenario that both variants decide.
  public var expectations: [ExpectationResult] = []
  /// The noise status of the machine; nil if it was not requested.
  let noise: NoiseStatus?
  /// The launches of a paired comparison; nil for other comparisons.
  let evidence: PairedEvidence?
  /// At most three functions that explain the change, largest change first.
  public private(set) var culprits: [Culprit]
  /// Whether decisions accept regressions of metrics that the comparison leaves out.
  private(set) var leavesOutAccepted = false

  /// A function with its change of CPU time in nanoseconds per launch, candidate minus base.
  public typealias Culprit = (key: String, name: String, difference: Double)

  /// Creates a document.
  ///
  /// If both runs are available with profiles, the verdict names functions of the program.
  public init(
    _ comparison: Comparison, base: RunDocument? = nil, candidate: RunDocument? = nil,
    reportPath: String? = nil, noise: NoiseStatus? = nil, evidence: PairedEvidence? = nil
  ) {
    self.evidence = evidence
    self.noise = noise
    self.comparison = comparison
    self.base = base
    self.candidate = candidate
    self.reportPath = reportPath
    culprits = Self.culprits(of: comparison, base: base?.run, candidate: candidate?.run)
  }

  /// Creates a document without runs.
  ///
  /// - Parameters:
  ///   - comparison: The comparison.
  ///   - culprits: The functions that explain the change, found with the runs' profiles; empty for the
  ///     innermost functions.
  ///   - noise: The noise status of the machine; nil if it was not requested.
  ///   - leavesOutAccepted: Whether decisions accept regressions of metrics that the comparison leaves out.
  public init(
    _ comparison: Comparison, culprits: [Culprit], noise: NoiseStatus? = nil,
    leavesOutAccepted: Bool = false
  ) {
    self.init(comparison, noise: noise)
    self.leavesOutAccepted = leavesOutAccepted
    if !culprits.isEmpty { self.culprits = culprits }
  }

  /// The comparison as text and tables.
  public var document: Document {
    Document(
      title: title,
      blocks: [.verdict(verdictSentence, Tone(comparison.combined)), .facts(facts)]
        + Document.Block.each([
          environmentTable, workTable, expectationTable, metricTable, workFunctionTable,
          functionTable, allocationTable,
        ])
        + Document.Block.end(warnings, reportPath))
  }

  var warnings: [RunWarning] {
    comparison.warnings.map { warning in
      guard let pairedComparison, warning.code == RunComparer.unpaired else { return warning }
      return RunWarning(
        code: warning.code, message: warning.message,
        remedy: "The launches of these runs are pairs, which `perfkit compare \(pairedComparison)` "
          + "compares.")
    }
      + [noise?.certificate?.warning(on: comparison.metrics)].compactMap(\.self)
  }

  /// The names of the two sides.
  public var title: String {
    let (base, candidate) = (comparison.base, comparison.candidate)
    guard base.scenario == candidate.scenario else {
      return "\(base.scenario):\(base.variant) to \(candidate.scenario):\(candidate.variant)"
    }
    guard base.variant == candidate.variant else {
      return "\(base.scenario): \(base.variant) to \(candidate.variant)"
    }
    let runs = comparison.isSameProgram ? "" : ", \(base.run) to \(candidate.run)"
    return "\(base.scenario):\(base.variant)\(runs)"
  }

  private var facts: [Document.Fact] {
    [
      .init("base", describe(comparison.base, base)),
      .init("candidate", describe(comparison.candidate, candidate)),
    ] + designFacts + [noise.map { Document.Fact("noise", $0.summary) }].compactMap(\.self)
  }

  var designFacts: [Document.Fact] {
    let pairs = comparison.pairing.map { pairing in
      let launches = pairing.launchesPerPair
      return Document.Fact(
        "pairs", "\(pairing.pairs), each with \(launches) + \(launches) interleaved launches")
    }
    let error = Document.Fact(
      "error", "at most \(NumberFormat.significant(comparison.alpha * 100))% false verdicts")
    if comparison.isSameProgram { return [] }
    return [combinedFact, pairs, layouts, pace, error].compactMap(\.self)
  }

  /// The links of each side, with the effect of layout on each gating metric; nil for a single link.
  var layouts: Document.Fact? {
    guard let count = comparison.pairing?.layouts, count > 1 else { return nil }
    let effects = comparison.metrics.filter(\.isGating).compactMap { metric in
      metric.layout.map { effect in
        "moves \(metric.definition.name) by ±\(metric.definition.size(of: effect.deviation)), "
          + "\(NumberFormat.significant(effect.share * 100, digits: 2))% of the variation"
      }
    }
    let parts = effects.isEmpty ? "" : "; layout alone \(Wording.list(effects))"
    return .init("layouts", "\(count) links of each side, each with another layout\(parts)")
  }

  /// The removed share of the CPU's pace of each gating metric; nil if none was removed.
  private var pace: Document.Fact? {
    let shares = comparison.metrics.filter(\.isGating).compactMap { metric in
      metric.paceShare.map {
        "\(NumberFormat.significant($0 * 100, digits: 2))% from \(metric.definition.name)"
      }
    }
    return shares.isEmpty
      ? nil : .init("pace", "removed pace of the CPU: \(shares.joined(separator: ", "))")
  }

  /// The command that prints the comparison again.
  var command: String {
    let runs = [comparison.base.run, comparison.candidate.run]
    let names = reports ?? (comparison.pairing == nil ? runs : [comparison.id])
    return "perfkit compare \(Wording.command(names))"
  }

  func describe(_ side: Comparison.Side, _ document: RunDocument?) -> String {
    var parts = ["\(side.scenario):\(side.variant)"]
    if !side.run.isEmpty { parts.append("run \(side.run)") }
    if let label = side.label { parts.append(label) }
    if let commit = Self.commit(of: side, document) { parts.append("commit \(commit)") }
    return (parts + [side.started.short + " UTC"]).joined(separator: ", ")
  }

  /// Returns the commit of a side, marked if the run had uncommitted changes; nil without a commit.
  static func commit(of side: Comparison.Side, _ document: RunDocument?) -> String? {
    let isDirty = document?.run.environment[.dirty] == "true"
    return Wording.commit(side.commit).map { isDirty ? "\($0) with changes" : $0 }
  }

  /// Returns functions with significant changes.
  ///
  /// With both profiles these are functions of the program, by the time charged to them; otherwise
  /// the innermost functions. A function whose callees alone changed is charged with nothing, so a charged
  /// change counts if it is at least half of a significant one. The times of pairs are those of the comparison:
  /// of the same launches, normalised to the usual pace of the CPU.
  private static func culprits(of comparison: Comparison, base: Run?, candidate: Run?) -> [Culprit]
  {
    let significant = comparison.functions.filter(\.isSignificant)
    var charged: [Culprit] = []
    if let base, let candidate, let before = base.profile, let after = candidate.profile {
      let factors = comparison.pairing.flatMap { pairing in
        FunctionComparer.launchFactors(
          base, candidate, launchesPerPair: pairing.launchesPerPair)
      }
      let old = Blame(
        before, launches: factors?.base.count ?? base.sampled.count, factors: factors?.base)
      let new = Blame(
        after, launches: factors?.candidate.count ?? candidate.sampled.count,
        factors: factors?.candidate)
      for (key, changes) in Dictionary(grouping: significant, by: \.key) {
        let difference = (new.time[key] ?? 0) - (old.time[key] ?? 0)
        guard changes.contains(where: { difference / $0.difference >= 0.5 }) else { continue }
        charged.append((key, new.names[key] ?? old.names[key] ?? key, difference))
      }
    }
    guard charged.isEmpty else { return largest(charged) }
    return FunctionComparer.explanation(of: comparison.functions, limit: 3)
      .map { ($0.key, $0.name, $0.difference) }
  }

  /// Returns at most three functions, without those below a tenth of the largest change.
  private static func largest(_ culprits: [Culprit]) -> [Culprit] {
    let sorted = culprits.sorted {
      (abs($1.difference), $0.name) < (abs($0.difference), $1.name)
    }
    guard let first = sorted.first else { return [] }
    return Array(sorted.prefix { abs($0.difference) >= abs(first.difference) / 10 }.prefix(3))
  }
}
