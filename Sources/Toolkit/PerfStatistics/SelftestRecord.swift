public import PerfModel

/// The comparisons of a selftest, and the choice of the next one.
///
/// First each change is tried once. Then the smallest change of CPU time that was found is
/// repeated, alternating with no change, memory and frames. Only the repetitions count for this
/// change: its first comparison selected it, so it says nothing about its detection rate. If more
/// than 5 % of the repetitions miss it, the next larger change replaces it.
public struct SelftestRecord: Sendable {
  /// One comparison with an injected change.
  public struct Trial: Hashable, Sendable {
    /// The injected change.
    public let change: InjectedChange
    /// Whether a change was found; without a change that is a false alarm.
    public let isFound: Bool
    /// The estimated change of the change's metric, in the metric's scale; nil without an estimate.
    public let estimate: Double?
    /// The number of pairs.
    public let pairs: Int

    /// Creates a trial.
    public init(change: InjectedChange, isFound: Bool, estimate: Double?, pairs: Int) {
      self.change = change
      self.isFound = isFound
      self.estimate = estimate
      self.pairs = pairs
    }

    /// Creates the trial of a comparison.
    ///
    /// A change was found if its metric *regressed*; for no change, if any gating metric changed.
    public init(_ comparison: Comparison, of change: InjectedChange) {
      let gating = comparison.metrics.filter(\.isGating)
      let own = gating.first { $0.definition.name == change.metric }
      self.init(
        change: change,
        isFound: change.metric == nil
          ? gating.contains { $0.verdict == .regressed || $0.verdict == .improved }
          : own?.verdict == .regressed,
        estimate: own?.estimate, pairs: comparison.pairing?.pairs ?? 0)
    }
  }

  /// The gate policy of comparisons without a change.
  public static let policy = Scenario.GatePolicy(
    margin: InjectedChange.nothing.margin,
    metrics: [
      MetricName.wall: nil, MetricName.cpuTotal: nil, MetricName.rssPeak: nil,
      MetricName.percentile(50, of: MetricName.frameCost): nil,
      MetricName.percentile(99, of: MetricName.frameCost): InjectedChange.frames.margin,
    ])
  /// The detection rate from which a change counts as found.
  public static let power = 0.95
  /// The smallest numbers of comparisons without a change, and of the smallest change found.
  public static let least = (same: 5, smallest: 3)

  /// The first comparisons, the most informative ones first, in case time is short.
  static let survey: [InjectedChange] = {
    let times = InjectedChange.cpuTimes
    return [
      .nothing, times[2], .memory, times[1], .frames, .nothing, times[3], times[0], times[4],
    ]
  }()

  /// The comparisons in order.
  public private(set) var trials: [Trial] = []

  /// Creates an empty record.
  public init() {}

  /// Adds the comparison of `next`.
  public mutating func add(_ trial: Trial) { trials.append(trial) }

  /// The change to inject next.
  public var next: InjectedChange {
    guard trials.count >= Self.survey.count else { return Self.survey[trials.count] }
    let times = InjectedChange.cpuTimes
    let tried = smallest ?? times[times.count - 1]
    return switch (trials.count - Self.survey.count) % 6 {
    case 1, 4: tried
    case 3: .memory
    case 5: .frames
    default: .nothing
    }
  }

  /// Returns the gate policy for a change: only its own metric gates.
  ///
  /// The error is nevertheless a fifth of the error of all gating metrics.
  public static func policy(of change: InjectedChange) -> Scenario.GatePolicy {
    guard let metric = change.metric else { return policy }
    return Scenario.GatePolicy(margin: change.margin, metrics: [metric: change.margin])
  }

  /// The smallest change of CPU time that is found; nil without one.
  public var smallest: InjectedChange? {
    InjectedChange.cpuTimes.first { change in
      guard surveyed(change)?.isFound == true else { return false }
      let later = confirmations(of: change)
      return Double(later.count(where: \.isFound)) >= Self.power * Double(later.count)
    }
  }

  private func surveyed(_ change: InjectedChange) -> Trial? {
    trials.prefix(Self.survey.count).first { $0.change == change }
  }

  private func confirmations(of change: InjectedChange) -> [Trial] {
    trials.dropFirst(Self.survey.count).filter { $0.change == change }
  }

  /// Returns the comparisons that count for a change.
  public func counting(for change: InjectedChange) -> [Trial] {
    let later = confirmations(of: change)
    return change.kind == .cpuTime && !later.isEmpty
      ? later : trials.filter { $0.change == change }
  }

  /// The number of comparisons that found each change: none, CPU time by size, memory, frames.
  public var findings: [NoiseCertificate.DetectionRate] {
    InjectedChange.all.compactMap { change in
      let all = counting(for: change)
      guard !all.isEmpty else { return nil }
      return .init(change: change, told: all.count(where: \.isFound), comparisons: all.count)
    }
  }

  /// The conclusion.
  public var conclusion: SelftestConclusion { SelftestConclusion(self) }
}
