public import PerfModel

/// What became of the comparisons of a selftest, and which one is to be made next.
///
/// First each change is tried once. The smallest change of CPU time that was found is then tried
/// again and again, in turn with no change, memory and frames. Only these later comparisons count
/// for it: by the first it was chosen, so that one says nothing of how often it is found. When it
/// is missed more than once in twenty times the next larger one takes its place.
public struct SelftestRecord: Sendable {
  /// A comparison.
  public struct Outcome: Hashable, Sendable {
    /// What was injected.
    public let change: InjectedChange
    /// Whether it was told: of no change that is a false alarm.
    public let isTold: Bool
    /// The change of its metric as it was estimated, in the metric's scale; nil without one.
    public let estimate: Double?
    /// Pairs that it took.
    public let pairs: Int

    /// Creates an outcome.
    public init(change: InjectedChange, isTold: Bool, estimate: Double?, pairs: Int) {
      self.change = change
      self.isTold = isTold
      self.estimate = estimate
      self.pairs = pairs
    }

    /// Creates the outcome of a comparison.
    ///
    /// A change is told when its metric *regressed*; no change when any gating metric changed at
    /// all.
    public init(_ comparison: Comparison, of change: InjectedChange) {
      let gating = comparison.metrics.filter(\.isGating)
      let own = gating.first { $0.definition.name == change.metric }
      self.init(
        change: change,
        isTold: change.metric == nil
          ? gating.contains { $0.verdict == .regressed || $0.verdict == .improved }
          : own?.verdict == .regressed,
        estimate: own?.estimate, pairs: comparison.pairing?.pairs ?? 0)
    }
  }

  /// The metrics that gate when nothing is changed, with their margins.
  public static let policy = Scenario.GatePolicy(
    margin: InjectedChange.nothing.margin,
    metrics: [
      MetricName.wall: nil, MetricName.cpuTotal: nil, MetricName.rssPeak: nil,
      MetricName.percentile(50, of: MetricName.frameCost): nil,
      MetricName.percentile(99, of: MetricName.frameCost): InjectedChange.frames.margin,
    ])
  /// How often a change must be found to count as found.
  public static let power = 0.95
  /// Comparisons without a change, and of the smallest one found, that it takes to say anything.
  public static let least = (same: 5, smallest: 3)

  /// Each change once, those first that say most when the time is short.
  static let survey: [InjectedChange] = {
    let times = InjectedChange.cpuTimes
    return [
      .nothing, times[2], .memory, times[1], .frames, .nothing, times[3], times[0], times[4],
    ]
  }()

  /// The comparisons in order.
  public private(set) var outcomes: [Outcome] = []

  /// Creates an empty record.
  public init() {}

  /// Adds the comparison that was made of `next`.
  public mutating func add(_ outcome: Outcome) { outcomes.append(outcome) }

  /// What is to be injected next.
  public var next: InjectedChange {
    guard outcomes.count >= Self.survey.count else { return Self.survey[outcomes.count] }
    let times = InjectedChange.cpuTimes
    let tried = smallest ?? times[times.count - 1]
    return switch (outcomes.count - Self.survey.count) % 6 {
    case 1, 4: tried
    case 3: .memory
    case 5: .frames
    default: .nothing
    }
  }

  /// Returns the policy by which a change is judged: its own metric alone gates.
  ///
  /// Its share of the error is that of one of five gating metrics all the same.
  public static func policy(of change: InjectedChange) -> Scenario.GatePolicy {
    guard let metric = change.metric else { return policy }
    return Scenario.GatePolicy(margin: change.margin, metrics: [metric: change.margin])
  }

  /// The smallest change of CPU time that is found; nil when none is.
  public var smallest: InjectedChange? {
    InjectedChange.cpuTimes.first { change in
      guard surveyed(change)?.isTold == true else { return false }
      let later = confirmations(of: change)
      return Double(later.count(where: \.isTold)) >= Self.power * Double(later.count)
    }
  }

  private func surveyed(_ change: InjectedChange) -> Outcome? {
    outcomes.prefix(Self.survey.count).first { $0.change == change }
  }

  private func confirmations(of change: InjectedChange) -> [Outcome] {
    outcomes.dropFirst(Self.survey.count).filter { $0.change == change }
  }

  /// Returns the comparisons that count for a change.
  public func counting(for change: InjectedChange) -> [Outcome] {
    let later = confirmations(of: change)
    return change.kind == .cpuTime && !later.isEmpty
      ? later : outcomes.filter { $0.change == change }
  }

  /// What was found of each change that was tried: none, CPU time by size, memory, frames.
  public var findings: [NoiseCertificate.DetectionRate] {
    InjectedChange.all.compactMap { change in
      let all = counting(for: change)
      guard !all.isEmpty else { return nil }
      return .init(change: change, told: all.count(where: \.isTold), comparisons: all.count)
    }
  }

  /// What follows of it all.
  public var conclusion: SelftestConclusion { SelftestConclusion(self) }
}
