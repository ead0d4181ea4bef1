public import PerfModel
public import PerfStatistics

/// A selftest with its conclusions, the content of its reports.
public struct SelftestDocument: Sendable {
  /// The facts about a selftest.
  public struct Facts: Sendable {
    /// What is known about the tested machine, such as its CPU, kernel and limits.
    public var environment: Environment
    /// The start.
    public var started: Timestamp
    /// The duration in nanoseconds.
    public var duration: UInt64
    /// The number of launches, including discarded ones.
    public var launches: Int
    /// The requested CPU time of a launch in nanoseconds.
    public var launchTime: UInt64
    /// Whether launches were sampled, as in a gate by default.
    public var isProfiled: Bool
    /// The seed of the first comparison.
    public var seed: UInt64
    /// Whether the user stopped the selftest.
    public var isStopped: Bool

    /// Creates the facts.
    public init(
      environment: Environment, started: Timestamp, duration: UInt64, launches: Int,
      launchTime: UInt64, isProfiled: Bool, seed: UInt64,
      isStopped: Bool = false
    ) {
      self.environment = environment
      self.started = started
      self.duration = duration
      self.launches = launches
      self.launchTime = launchTime
      self.isProfiled = isProfiled
      self.seed = seed
      self.isStopped = isStopped
    }
  }

  let record: SelftestRecord
  let facts: Facts
  /// The stored certificate; nil if there were too few comparisons.
  let certificate: NoiseCertificate?

  /// Creates a document.
  public init(_ record: SelftestRecord, facts: Facts, certificate: NoiseCertificate?) {
    self.record = record
    self.facts = facts
    self.certificate = certificate
  }

  /// The document with verdict, facts, injected changes and warnings.
  public var document: Document {
    Document(
      title: "selftest",
      blocks: [
        .verdict(sentence, tone), .facts(shownFacts), .table(table), .warnings(warnings),
      ])
  }

  private var tone: Tone {
    switch record.conclusion {
    case .kept: .good
    case .broken: .bad
    case .tooFew: .unknown
    }
  }

  var sentence: String {
    switch record.conclusion {
    case .kept: "Kept: the gate keeps its error rates on this machine, with \(rates)."
    case .broken(let reasons):
      "Broken: the gate does not keep its error rates on this machine: \(Wording.list(reasons))."
    case .tooFew(let reason): "Undecided: \(reason)."
    }
  }

  /// The comparisons without a change.
  private var unchanged: NoiseCertificate.DetectionRate? {
    record.findings.first { $0.change == .nothing }
  }

  private var rates: String {
    let alarms = unchanged.map { same in
      let most = Self.share(same)?.high.map { " (at most \(Self.percent($0)))" } ?? ""
      return "false alarms in \(same.told) of \(same.comparisons) comparisons\(most)"
    }
    let found = record.findings.first { $0.change == record.smallest }.map { finding in
      let least = Self.share(finding)?.low.map { " (at least \(Self.percent($0)))" } ?? ""
      return "\(finding.change) was found in \(finding.told) of \(finding.comparisons)\(least)"
    }
    return [alarms ?? "", found].compactMap(\.self).joined(separator: "; ")
  }

  static func share(_ finding: NoiseCertificate.DetectionRate) -> IntervalEstimate? {
    try? Proportion.estimate(events: finding.told, trials: finding.comparisons)
  }

  private static func percent(_ share: Double) -> String {
    "\(NumberFormat.significant(share * 100, digits: 2))%"
  }

  private var shownFacts: [Document.Fact] {
    let environment = facts.environment
    let time = NumberFormat.human(Double(facts.launchTime), .time)
    let comparisons = Wording.count(record.trials.count, "comparison")
    let minutes = NumberFormat.fixed(Double(facts.duration) / 60e9, decimals: 1)
    return [
      .init(
        "machine",
        "\(environment[.cpuCount] ?? "?") x \(environment[.cpuModel] ?? "unknown CPU"), "
          + "load \(environment[.loadAtStart] ?? "unknown") at the start"),
      .init("started", facts.started.short + " UTC"),
      .init(
        "duration",
        "\(minutes) min for \(comparisons), \(NumberFormat.grouped(facts.launches)) "
          + "launches of \(time)\(facts.isProfiled ? "" : ", not sampled")"),
      .init(
        "certificate",
        certificate.map { "stored for this machine: \($0.summary)" }
          ?? (facts.isStopped ? "none: stopped by the user" : "none: too few comparisons")),
    ]
  }

  private var table: Table {
    Table(
      id: "changes", title: "Injected changes",
      columns: [
        .init("change"), .init("found", .trailing), .init("share", .trailing),
        .init("95 % CI", .trailing), .init("margin", .trailing, isDetail: true),
        .init("metric", isDetail: true), .init("estimate", .trailing, isDetail: true),
        .init("pairs", .trailing, isDetail: true),
      ],
      rows: record.findings.map(row),
      caption:
        "Found: comparisons that found a change; without a change these are false alarms. The "
        + "confidence intervals (CI) are Clopper-Pearson intervals; estimate and pairs are medians. "
        + "The smallest change of CPU time counts only the comparisons after it was chosen.")
  }

  private func row(_ finding: NoiseCertificate.DetectionRate) -> [Table.Cell] {
    let change = finding.change
    let outcomes = record.counting(for: change)
    let share = Self.share(finding)
    let isGood = change == .nothing ? finding.told == 0 : finding.told == finding.comparisons
    return [
      .init(change.description, change == record.smallest ? .strong : .plain),
      .init("\(finding.told) of \(finding.comparisons)", isGood ? .good : .unknown),
      .init(share.map { Self.percent($0.value) } ?? Wording.nothing),
      .init(
        share.map { "[\(Self.percent($0.low ?? 0)), \(Self.percent($0.high ?? 1))]" }
          ?? Wording.nothing),
      .init(
        change.margin.relative.map { NumberFormat.human($0, .ratio) }
          ?? Wording.value(change.margin.absolute, .time)),
      .init(change.metric ?? "any of \(SelftestRecord.policy.metrics.count)"),
      .init(estimate(outcomes, of: change)),
      .init(
        (try? Quantiles.median(of: outcomes.map { Double($0.pairs) }))
          .map { NumberFormat.significant($0) } ?? Wording.nothing),
    ]
  }

  private func estimate(_ outcomes: [SelftestRecord.Trial], of change: InjectedChange) -> String {
    guard let middle = try? Quantiles.median(of: outcomes.compactMap(\.estimate)) else {
      return ""
    }
    return change.margin.relative == nil
      ? NumberFormat.humanChange(middle, .time)
      : NumberFormat.percentChange(middle)
  }

  /// A warning if the interval of the false alarms is wide, with the time for a narrower one.
  var warnings: [RunWarning] {
    guard let same = unchanged, same.told == 0, let most = Self.share(same)?.high, most > 0.05
    else { return [] }
    let needed = SelftestConclusion.comparisonsNeeded(toShow: SelftestRecord.power)
    let each = Double(facts.duration) / Double(max(record.trials.count, 1))
    // A third of the comparisons has no change.
    let time = (each * Double(3 * needed) / 60e9).rounded(.up)
    return [
      RunWarning(
        code: "selftest.intervals_wide",
        message:
          "no false alarm in \(Wording.count(same.comparisons, "comparison")) is compatible with a rate "
          + "of up to \(Self.percent(most))",
        remedy:
          "To show a rate below 5%, pass --max-time \(Int(time))min for \(needed) comparisons.")
    ]
  }
}
