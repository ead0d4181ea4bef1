public import PerfModel
public import PerfStatistics

/// A comparison with the two runs that it was made of.
public struct ComparisonDocument: Sendable {
  /// A function that explains a change.
  struct Culprit: Hashable {
    let name: String
    /// CPU nanoseconds a launch, candidate minus base.
    let difference: Double
  }

  /// What was compared and what follows.
  public let comparison: Comparison
  /// The base with its conclusions; nil where only the comparison is at hand.
  public let base: RunDocument?
  /// The candidate.
  public let candidate: RunDocument?
  /// Where the HTML report lies, or nil.
  public let reportPath: String?
  /// What is known of the machine's noise; nil where nobody asked.
  public let noise: NoiseStatus?
  /// What the verdict of pairs follows from; nil where there are no pairs.
  let evidence: PairedEvidence?
  /// At most three functions, largest change first.
  let culprits: [Culprit]

  /// Creates a document.
  ///
  /// With both runs at hand and profiles in them, the verdict names functions of the program.
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

  /// The comparison in words and tables.
  public var document: Document {
    var blocks: [Document.Block] = [
      .verdict(verdictSentence, Tone(comparison.verdict)), .facts(facts),
    ]
    blocks += [environmentTable, metricTable, functionTable].compactMap {
      $0.map(Document.Block.table)
    }
    blocks.append(.warnings(warnings))
    if let reportPath { blocks.append(.paragraph("Report: \(reportPath)")) }
    return Document(title: title, blocks: blocks)
  }

  /// The comparison's warnings, and what the machine's noise certificate says of its margins.
  public var warnings: [RunWarning] {
    comparison.warnings
      + [noise?.certificate?.warning(on: comparison.metrics)].compactMap(\.self)
  }

  /// The two sides in a few words.
  public var title: String {
    let (base, candidate) = (comparison.base, comparison.candidate)
    guard base.scenario == candidate.scenario else {
      return "\(base.scenario):\(base.variant) against \(candidate.scenario):\(candidate.variant)"
    }
    guard base.variant == candidate.variant else {
      return "\(base.scenario): \(base.variant) against \(candidate.variant)"
    }
    return "\(base.scenario):\(base.variant), \(base.run) against \(candidate.run)"
  }

  private var facts: [Document.Fact] {
    [
      .init("base", Self.describe(comparison.base)),
      .init("candidate", Self.describe(comparison.candidate)),
    ] + designFacts + [noise.map { Document.Fact("noise", $0.summary) }].compactMap(\.self)
  }

  /// How it was measured, and how surely it is told.
  var designFacts: [Document.Fact] {
    let pairs = comparison.pairing.map { pairing in
      let launches = pairing.launchesPerPair
      return Document.Fact(
        "pairs", "\(pairing.pairs) of \(launches) + \(launches) launches, interleaved")
    }
    let error = Document.Fact(
      "error", "at most \(NumberFormat.significant(comparison.alpha * 100))% for the verdict")
    return [pairs, pace, error].compactMap(\.self)
  }

  /// What was taken out of the times that decide.
  private var pace: Document.Fact? {
    let shares = comparison.metrics.filter(\.isGating).compactMap { metric in
      metric.paceShare.map {
        "\(NumberFormat.significant($0 * 100, digits: 2))% from \(metric.definition.name)"
      }
    }
    guard !shares.isEmpty else { return nil }
    return Document.Fact(
      "pace", "of the CPU right before each launch, taken out: \(shares.joined(separator: ", "))")
  }

  static func describe(_ side: Comparison.Side) -> String {
    var parts = ["\(side.scenario):\(side.variant)", "run \(side.run)"]
    if let label = side.label { parts.append(label) }
    if let commit = Wording.commit(side.commit) { parts.append("commit \(commit)") }
    return (parts + [side.started.short + " UTC"]).joined(separator: ", ")
  }

  /// Functions whose change is shown to be real: with both profiles at hand those of the program, by
  /// the time that they answer for; else the deepest ones.
  private static func culprits(of comparison: Comparison, base: Run?, candidate: Run?) -> [Culprit]
  {
    let significant = comparison.functions.filter(\.isSignificant)
    guard !significant.isEmpty else { return [] }
    guard let base, let candidate, let before = base.profile, let after = candidate.profile else {
      return FunctionComparer.explanation(of: comparison.functions, limit: 3).map {
        Culprit(name: $0.name, difference: $0.difference)
      }
    }
    let old = Blame(before, launches: base.sampled.count)
    let new = Blame(after, launches: candidate.sampled.count)
    let keys = Set(significant.map(\.key))
    return largest(
      keys.map { key in
        Culprit(
          name: new.names[key] ?? old.names[key] ?? key,
          difference: (new.time[key] ?? 0) - (old.time[key] ?? 0))
      })
  }

  /// At most three, and none that changed by less than a tenth of what the first did.
  private static func largest(_ culprits: [Culprit]) -> [Culprit] {
    let sorted = culprits.filter { $0.difference != 0 }.sorted {
      (abs($1.difference), $0.name) < (abs($0.difference), $1.name)
    }
    guard let first = sorted.first else { return [] }
    return Array(sorted.prefix { abs($0.difference) >= abs(first.difference) / 10 }.prefix(3))
  }
}
