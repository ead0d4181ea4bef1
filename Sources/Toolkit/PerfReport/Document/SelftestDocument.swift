public import PerfModel
public import PerfStatistics

/// What a selftest found on a machine.
public struct SelftestDocument: Sendable {
  /// How it was made.
  public struct Facts: Sendable {
    /// The machine.
    public var environment: Environment
    /// When it began.
    public var started: Timestamp
    /// Nanoseconds that it took.
    public var duration: UInt64
    /// Launches that were made, those thrown away included.
    public var launches: Int
    /// Nanoseconds of CPU time of a launch, as asked for.
    public var launchTime: UInt64
    /// Whether samples were taken, as a gate does unless told otherwise.
    public var isProfiled: Bool
    /// The seed of the first comparison.
    public var seed: UInt64
    /// Whether the user stopped it.
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

  /// All comparisons.
  public let record: SelftestRecord
  /// How they were made.
  public let facts: Facts
  /// The certificate that was stored; nil when too little was found out.
  public let certificate: NoiseCertificate?

  /// Creates a document.
  public init(_ record: SelftestRecord, facts: Facts, certificate: NoiseCertificate?) {
    self.record = record
    self.facts = facts
    self.certificate = certificate
  }

  /// The verdict, what was found of each change, and how wide the intervals are.
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

  /// The verdict in one or two sentences.
  public var sentence: String {
    switch record.conclusion {
    case .kept: "Nothing speaks against what the gate promises here: \(told)."
    case .broken(let reasons):
      "The gate does not keep what it promises here: \(Wording.list(reasons))."
    case .tooFew(let reason): "Nothing can be said: \(reason)."
    }
  }

  private var told: String {
    let alarms = record.findings.first { $0.change == .nothing }.map(Self.alarms) ?? ""
    guard let change = record.smallest,
      let finding = record.findings.first(where: { $0.change == change })
    else { return alarms }
    return "\(alarms), and finds \(change) in \(Self.found(finding))"
  }

  private static func alarms(_ finding: NoiseCertificate.DetectionRate) -> String {
    let most = share(finding)?.high.map { " (at most \(percent($0)))" } ?? ""
    return "false alarms in \(finding.told) of \(finding.comparisons) comparisons\(most)"
  }

  private static func found(_ finding: NoiseCertificate.DetectionRate) -> String {
    let least = share(finding)?.low.map { " (at least \(percent($0)))" } ?? ""
    return "\(finding.told) of \(finding.comparisons)\(least)"
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
    let comparisons = Wording.count(record.outcomes.count, "comparison")
    return [
      .init(
        "machine",
        "\(environment[.cpuCount] ?? "?") x \(environment[.cpuModel] ?? "unknown CPU"), "
          + "load \(environment[.loadAtStart] ?? "unknown") at the begin"),
      .init("started", facts.started.short + " UTC"),
      .init(
        "took",
        "\(minutes(facts.duration)) for \(comparisons), \(NumberFormat.grouped(facts.launches)) "
          + "launches of \(time)\(facts.isProfiled ? "" : ", not sampled")"),
      .init(
        "certificate",
        certificate.map { "kept for this machine: \($0.summary)" }
          ?? (facts.isStopped ? "none: it was stopped" : "none: too little was found out")),
    ]
  }

  private func minutes(_ nanoseconds: UInt64) -> String {
    "\(NumberFormat.fixed(Double(nanoseconds) / 60e9, decimals: 1)) min"
  }

  private var table: Table {
    Table(
      id: "changes", title: "Injected changes",
      columns: [
        .init("change"), .init("told", .trailing), .init("share", .trailing),
        .init("interval", .trailing), .init("margin", .trailing, isDetail: true),
        .init("judged by", isDetail: true), .init("estimate", .trailing, isDetail: true),
        .init("pairs", .trailing, isDetail: true),
      ],
      rows: record.findings.map(row),
      caption: "Told: comparisons in which a change was told; of no change these are false alarms. "
        + "Intervals of 95 %, Clopper and Pearson's; estimate and pairs are medians. Of CPU time "
        + "comparisons count that were made after the smallest change was chosen, where there are.")
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
      .init(Self.margin(of: change)),
      .init(change.metric ?? "any of \(SelftestRecord.policy.metrics.count) metrics"),
      .init(estimate(outcomes, of: change)),
      .init(
        (try? Quantiles.median(of: outcomes.map { Double($0.pairs) }))
          .map { NumberFormat.significant($0) } ?? Wording.nothing),
    ]
  }

  private static func margin(of change: InjectedChange) -> String {
    change.margin.relative.map { NumberFormat.human($0, .ratio) }
      ?? change.margin.absolute.map { NumberFormat.human($0, .time) } ?? Wording.nothing
  }

  private func estimate(_ outcomes: [SelftestRecord.Outcome], of change: InjectedChange) -> String {
    guard let middle = try? Quantiles.median(of: outcomes.compactMap(\.estimate)) else {
      return ""
    }
    return change.margin.relative == nil
      ? NumberFormat.humanChange(middle, .time)
      : NumberFormat.percentChange(middle)
  }

  /// How wide the intervals are, and what narrower ones take.
  public var warnings: [RunWarning] {
    guard let same = record.findings.first(where: { $0.change == .nothing }), same.told == 0,
      let most = Self.share(same)?.high, most > 0.05
    else { return [] }
    let needed = SelftestConclusion.comparisonsNeeded(toShow: SelftestRecord.power)
    let each = Double(facts.duration) / Double(max(record.outcomes.count, 1))
    // Half of the comparisons are without a change.
    let time = (each * Double(2 * needed) / 60e9).rounded(.up)
    return [
      RunWarning(
        code: "selftest.intervals_wide",
        message: "\(same.comparisons) comparisons without a false alarm still allow "
          + "\(Self.percent(most)) of them",
        remedy: "To bring that below 5% takes \(needed): --max-time \(Int(time))min.")
    ]
  }
}
