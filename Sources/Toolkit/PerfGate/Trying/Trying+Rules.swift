internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics

extension Trying {
  /// Returns why a change must be dropped.
  ///
  /// - Parameters:
  ///   - comparison: The comparison, in which the campaign's metric gates alone.
  ///   - campaign: The campaign.
  ///   - guards: The other gating metrics of the scenario, which must not regress.
  ///   - gate: The scenario's policy with the margins of the guards.
  /// - Returns: The reason as a clause; nil to keep the change.
  static func objection(
    to comparison: Comparison, _ campaign: Campaign, guards: [String], _ gate: Scenario.GatePolicy
  ) -> String? {
    switch comparison.verdict {
    case .void:
      return comparison.warnings.first { $0.code == PairedComparer.controlMoved }?.message
        ?? "the environments of both sides differ"
    case .regressed:
      return comparison.metrics.first { $0.definition.name == campaign.metric }?.movement
        ?? "\(campaign.metric) regressed"
    case .equivalent: return "\(campaign.metric) changed by less than the margin"
    case .inconclusive: return "\(campaign.metric) is not shown to improve"
    case .improved: break
    }
    let regressed = comparison.metrics.first { metric in
      guards.contains(metric.definition.name) && metric.verdict == .regressed
        && exceeds(metric, gate.margin(of: metric.definition.name))
    }
    let worse = comparison.work?.metrics.first { $0.isGating && $0.verdict == .regressed }
    return (regressed ?? worse)?.movement
  }

  /// Returns whether a change reaches the scenario's margin, which may exceed the general one.
  private static func exceeds(_ metric: MetricComparison, _ margin: Scenario.Margin) -> Bool {
    let limit = metric.definition.scale == .ratio ? margin.relative : margin.absolute
    return limit.map { abs(metric.estimate ?? 0) >= $0 } ?? true
  }

  /// Refuses a try that ended before a decision: its launches are kept for the next attempt.
  func checkDecided(_ paired: PairedComparison) throws {
    guard paired.comparison.pairing?.isDecided != true,
      paired.pairs.count < pairing.maxPairs ?? LookSchedule.usualPairs
    else { return }
    if measuring.workspace.isCancelled() { throw CancellationError() }
    throw Failure(
      "the try is undecided after \(Wording.count(paired.pairs.count, "pair")): the time is over. "
        + "Repeat the command to continue it, with a greater --max-time.", status: .inconclusive)
  }

  /// Refuses choices that differ from the campaign's.
  func check(_ campaign: Campaign) throws {
    let changed = [
      request.variant.map { $0 != campaign.variant ? "--variant" : "" },
      request.metric.map { $0 != campaign.metric ? "--metric" : "" },
      request.margin.map { $0.margin != campaign.margin ? "--margin" : "" },
      request.anchor.map { _ in "--anchor" },
    ].compactMap(\.self).filter { !$0.isEmpty }
    guard changed.isEmpty else {
      throw Failure(
        "\(Wording.list(changed)) cannot change within campaign \(campaign.number), which measures "
          + "\(campaign.metric) of \(campaign.scenario): its error rate holds for one question. "
          + "Pass --new to begin another campaign.", status: .usage)
    }
  }

  func newCampaign(
    _ scenario: String, _ sides: PairedSides, _ built: BuiltRevisions
  ) throws -> Campaign {
    let usual = [MetricName.cpuTotal, MetricName.wall].first(where: sides.gating.contains)
    guard let metric = request.metric ?? usual ?? sides.gating.first else {
      throw Failure(
        "no metric of \(scenario) gates. Pass --metric with the metric to improve.",
        status: .usage)
    }
    let definition = try sides.definition(of: metric)
    guard !MetricName.work.contains(metric) else {
      throw Failure(
        "\(metric) is counted, and a try decides by time. Pass --metric \(MetricName.cpuTotal) and "
          + "--count: a change that does more work is dropped as well.", status: .usage)
    }
    try request.margin?.check(for: definition)
    guard definition.direction != .neutral else {
      throw Failure(
        "\(metric) has no better direction, so no change can improve it. Pass another --metric.",
        status: .usage)
    }
    let start = built.base.revision
    return Campaign(
      started: measuring.workspace.now(), scenario: scenario, variant: request.variant,
      metric: metric, margin: request.margin?.margin ?? Self.margin,
      start: Campaign.State(commit: start.commit, name: String(start.head.prefix(10))))
  }

  /// Returns the policy of a comparison: the metric alone gates, and the counted metrics if there are
  /// any.
  func policy(
    of campaign: Campaign, _ gate: Scenario.GatePolicy, counting counted: [String: Scenario.Margin?]
  ) -> Scenario.GatePolicy {
    Scenario.GatePolicy(
      margin: gate.margin,
      metrics: counted.merging([campaign.metric: .some(campaign.margin)]) { $1 })
  }
}
