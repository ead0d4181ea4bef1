public import PerfModel
public import PerfStatistics

/// One change as several machines measured it, combined by random effects.
public struct AcrossDocument: Sendable {
  /// A machine and its comparison.
  public struct Machine: Hashable, Sendable {
    /// The host.
    public let name: String
    /// The id of the comparison.
    public let comparison: String
    /// The number of its pairs.
    public let pairs: Int
    /// Its verdict.
    public let verdict: ComparisonVerdict

    /// Creates a machine.
    public init(name: String, comparison: String, pairs: Int, verdict: ComparisonVerdict) {
      self.name = name
      self.comparison = comparison
      self.pairs = pairs
      self.verdict = verdict
    }
  }

  let machines: [Machine]
  let base: Comparison.Side
  let candidate: Comparison.Side
  let metrics: [CombinedChange]
  private let unshared: [String]

  /// Creates the document.
  ///
  /// - Parameters:
  ///   - machines: The machines, in the order of each metric's gains.
  ///   - base: The base of the first comparison.
  ///   - candidate: The candidate of the first comparison.
  ///   - metrics: The gating metrics that all comparisons have.
  ///   - unshared: The gating metrics that only some have.
  public init(
    machines: [Machine], base: Comparison.Side, candidate: Comparison.Side,
    metrics: [CombinedChange], unshared: [String]
  ) {
    self.machines = machines
    self.base = base
    self.candidate = candidate
    self.metrics = metrics
    self.unshared = unshared
  }

  /// The verdict on all metrics; void if the comparison of a machine is void.
  public var verdict: ComparisonVerdict {
    Verdicts.together(metrics.map(\.verdict), isVoid: machines.contains { $0.verdict == .void })
  }

  var title: String {
    "\(candidate.scenario): \(Self.name(base)) to \(Self.name(candidate)), on "
      + Wording.count(machines.count, "machine")
  }

  private static func name(_ side: Comparison.Side) -> String {
    side.commit.map { String($0.prefix(10)) } ?? side.variant
  }

  /// The verdict with the decisive changes in one sentence.
  public var sentence: String {
    let place = "on \(Wording.count(machines.count, "machine"))"
    switch verdict {
    case .void:
      let void = machines.filter { $0.verdict == .void }.map(\.name)
      return "Void: the comparison on \(Wording.list(void)) is void, so nothing is combined."
    case .equivalent: return "Equivalent \(place): every change is within its margin."
    case .inconclusive:
      let open = metrics.filter { $0.verdict == .inconclusive }.map(\.definition.name)
      return open.isEmpty
        ? "Inconclusive: the comparisons have no gating metric in common."
        : "Inconclusive \(place): \(Wording.list(open))."
    case .regressed, .improved:
      let words = metrics.filter { $0.verdict == verdict }.map { metric in
        let interval = Wording.changeInterval(
          metric.interval?.lowerBound, metric.interval?.upperBound, around: metric.change,
          of: metric.definition)
        return "\(metric.definition.name) "
          + "\(Wording.change(metric.change, of: metric.definition)) \(interval)"
      }
      return "\(verdict == .regressed ? "Regressed" : "Improved") \(place): \(Wording.list(words))."
    }
  }

  var warnings: [RunWarning] {
    var warnings: [RunWarning] = []
    if !unshared.isEmpty {
      warnings.append(
        RunWarning(
          code: "across.metrics",
          message: "only some comparisons judge \(Wording.list(unshared)), which is not combined"))
    }
    let uneven = metrics.filter { $0.heterogeneity > Self.muchHeterogeneity }
    if !uneven.isEmpty {
      warnings.append(
        RunWarning(
          code: "across.heterogeneous",
          message:
            "the machines differ in \(Wording.list(uneven.map(\.definition.name))) by more than "
            + "their errors explain",
          remedy: "Look at each machine before you rely on the common change."))
    }
    return warnings
  }

  /// Half of the variance is called substantial (Higgins and Thompson 2002, doi:10.1002/sim.1186).
  private static let muchHeterogeneity = 0.5

  /// The document with a forest plot of each metric.
  public var document: Document {
    Document(
      title: title,
      blocks: [.verdict(sentence, Tone(verdict))]
        + metrics.map { Document.Block.table(table(of: $0)) } + [.warnings(warnings)])
  }

  /// Returns the change of half a bar: the margin, or more if an interval is wider.
  private static func scale(of metric: CombinedChange) -> Double {
    let intervals = metric.gains.compactMap { $0?.interval } + [metric.interval].compactMap(\.self)
    return intervals.reduce(metric.margin) { most, interval in
      max(most, interval.upperBound / 2, -interval.lowerBound / 2)
    }
  }

  private func table(of metric: CombinedChange) -> Table {
    let scale = Self.scale(of: metric)
    func row(
      _ name: String, _ comparison: String, _ change: Double?, _ interval: ClosedRange<Double>?,
      weight: String, tone: Tone
    ) -> [Table.Cell] {
      let (low, high) = (interval?.lowerBound, interval?.upperBound)
      let (words, range) = (
        Wording.change(change, of: metric.definition),
        Wording.changeInterval(low, high, around: change, of: metric.definition)
      )
      return [
        .init(name), .init(words, tone), .init(range), .init(weight),
        .init(ChangeBar.text(change, low: low, high: high, margin: scale), .muted),
        .init(comparison, .muted),
      ]
    }
    let rows = machines.indices.map { index in
      let gain = metric.gains[index]
      return row(
        machines[index].name, machines[index].comparison, gain?.change, gain?.interval,
        weight: Wording.share(metric.weights[index], of: 1), tone: .plain)
    }
    return Table(
      id: "across-\(metric.definition.name)", title: metric.definition.name,
      columns: [
        .init("machine", isFlexible: true), .init("change", .trailing), .init("95 % CI", .trailing),
        .init("weight", .trailing),
        .init("± \(Wording.change(scale, of: metric.definition).drop { $0 == "+" })", key: "plot"),
        .init("comparison", isExtra: true),
      ],
      rows: rows + [
        row(
          "all machines", "", metric.change, metric.interval, weight: "", tone: Tone(metric.verdict)
        )
      ],
      caption: caption(metric))
  }

  private func caption(_ metric: CombinedChange) -> String {
    guard metric.change != nil else { return "Not combined: \(metric.note)." }
    let further = metric.prediction.map { range in
      " A further machine would probably show "
        + Wording.changeInterval(
          range.lowerBound, range.upperBound, around: metric.change, of: metric.definition) + "."
    }
    return "\(metric.verdict.rawValue); heterogeneity I² "
      + "\(Wording.share(metric.heterogeneity, of: 1)).\(further ?? "")"
  }
}
