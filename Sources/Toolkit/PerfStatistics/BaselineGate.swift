internal import Glibc
public import PerfModel

/// Judges a run against stored sessions of a baseline.
///
/// Only what lies beyond the spread between sessions can be told from a stored baseline. With fewer
/// than five sessions on this machine that spread is not known, and nothing but budgets can be said.
public struct BaselineGate: Sendable {
  /// The least number of sessions.
  public static let sessionsNeeded = 5
  /// The code of the warning that sessions with other parameters are left out.
  public static let otherParameters = "baseline.other_parameters"
  /// The code of the warning that sessions were measured on other hosts.
  public static let otherHosts = "baseline.other_hosts"
  /// The code of the warning that sessions of other environments are left out.
  public static let otherEnvironment = "baseline.other_environment"
  /// What makes a baseline longer; without the option it takes the place of what there was.
  private static let adding = "perfkit baseline save NAME RUN --add"

  /// Which metrics gate, and from which change on.
  public var policy: Scenario.GatePolicy
  /// How many metrics gate in the whole invocation; nil for those of this comparison.
  public var gatingCount: Int?
  /// Whether sessions of other environments count all the same, visibly.
  public var allowsDifferentEnvironments: Bool

  /// Creates a gate.
  public init(
    policy: Scenario.GatePolicy = Scenario.GatePolicy(), gatingCount: Int? = nil,
    allowsDifferentEnvironments: Bool = false
  ) {
    self.policy = policy
    self.gatingCount = gatingCount
    self.allowsDifferentEnvironments = allowsDifferentEnvironments
  }

  /// Compares a run with the sessions of a baseline.
  ///
  /// Each session is one number, its median. The interval that a further session of the same program
  /// would fall into is Student's prediction interval at 1 - alpha / G, and never less than from the
  /// smallest to the largest session (of n + 1 sessions alike the last is the worst with probability
  /// 1 / (n + 1), so their range alone would cry wolf). The interval printed is that of the change.
  ///
  /// - Parameters:
  ///   - candidate: What it is now; its budgets say what gates when the policy does not.
  ///   - sessions: The runs of the baseline; those with other parameters are left out, and those of
  ///     other environments unless they are allowed.
  /// - Returns: A comparison with the newest session that counts as its base; `equivalent` says no
  ///   more than that the run lies within the spread.
  /// - Throws: `StatisticsError.noSessions` when the baseline is empty.
  public func compare(
    _ candidate: Run, sessions: [Run]
  ) throws(StatisticsError) -> Comparison {
    let alike = sessions.filter { $0.parameters(otherThanOf: candidate).isEmpty }
    let others = alike.filter { session in
      session.environment.differences(to: candidate.environment).contains(where: \.voids)
    }
    let usable = self.usable(alike, but: others)
    let shown = usable.isEmpty ? sessions : usable
    guard let newest = shown.max(by: { $0.started < $1.started }) else { throw .noSessions }
    let gating = GatingMetrics.names(
      policy, budgets: candidate.budgets, definitions: candidate.definitions)
    let level = RunComparer.alpha / Double(max(gatingCount ?? gating.count, 1))
    let metrics = candidate.definitions.compactMap { definition in
      compare(
        definition, candidate, usable, isGating: gating.contains(definition.name), level: level)
    }
    let absent = gating.filter { name in !metrics.contains { $0.definition.name == name } }
    let ordered = metrics.filter(\.isGating) + metrics.filter { !$0.isGating }
    return Comparison(
      id: "\(newest.id)-\(candidate.id)", base: .init(newest), candidate: .init(candidate),
      alpha: RunComparer.alpha, seed: 0, sessions: usable.count, metrics: ordered, functions: [],
      environmentDifferences: differences(of: newest, others, to: candidate),
      warnings: Self.warnings(unlike: sessions.count - alike.count, of: sessions.count)
        + warnings(candidate, sessions: alike, others: others)
        + [GatingMetrics.warning(missing: absent)].compactMap(\.self),
      verdict: Verdicts.together(
        ordered.filter(\.isGating).map(\.verdict) + absent.map { _ in .inconclusive },
        isVoid: usable.isEmpty))
  }

  private func compare(
    _ definition: MetricDefinition, _ candidate: Run, _ sessions: [Run], isGating: Bool,
    level: Double
  ) -> MetricComparison? {
    let values = candidate.values(of: definition.name)
    guard let new = try? Quantiles.median(of: values) else { return nil }
    let medians = sessions.compactMap { session in
      try? Quantiles.median(of: session.values(of: definition.name))
    }
    let old = try? Quantiles.median(of: medians)
    let scale = ChangeScale(
      definition, margin: policy.margin(of: definition.name), base: old ?? 0,
      isPositive: (medians + [new]).allSatisfy { $0 > 0 })
    let isRatio = scale.scale == .ratio
    func comparison(
      _ estimate: Double?, _ range: ClosedRange<Double>?, _ verdict: ComparisonVerdict,
      _ note: String, failures: Int = 0
    ) -> MetricComparison {
      MetricComparison(
        definition: definition.compared(by: scale.scale), base: old, candidate: new,
        ratio: old.flatMap { $0 > 0 ? new / $0 : nil }, estimate: estimate,
        low: range?.lowerBound, high: range?.upperBound, p: nil, n: (medians.count, values.count),
        margin: scale.margin, isGating: isGating, verdict: verdict, failures: failures, note: note)
    }
    func on(_ value: Double) -> Double { isRatio ? log(value) : value }
    func back(_ value: Double) -> Double { isRatio ? expm1(value) : value }
    let all = values + sessions.flatMap { $0.values(of: definition.name) }
    if let negatives = definition.negatives(in: all) {
      return comparison(nil, nil, .inconclusive, negatives)
    }
    guard let old else { return comparison(nil, nil, .inconclusive, "no session has it") }
    let estimate = back(on(new) - on(old))
    guard medians.count >= Self.sessionsNeeded,
      let spread = Self.prediction(medians.map(on), level: level)
    else {
      return comparison(
        estimate, nil, .inconclusive,
        "\(medians.count) of the \(Self.sessionsNeeded) sessions that it takes to know their spread"
      )
    }
    let range = back(on(new) - spread.upperBound)...back(on(new) - spread.lowerBound)
    let change = ChangeRule.Change(estimate: estimate, decisive: range, plain: nil)
    let judged = ChangeRule.verdict(change, margin: scale.margin, direction: definition.direction)
    if definition.direction == .neutral {
      let note = "neither better low nor high, so it is not judged"
      return comparison(estimate, range, .inconclusive, note)
    }
    // The launches that lack it may be the ones that became worse.
    let gap = MetricGap(definition.name, in: [("candidate", candidate)])
    if let gap, judged != .regressed {
      return comparison(estimate, range, .inconclusive, gap.words, failures: gap.failures)
    }
    guard judged == .inconclusive else { return comparison(estimate, range, judged, "") }
    let note =
      range.contains(0)
      ? "within the spread of \(medians.count) sessions"
      : "beyond the spread, but smaller than the margin"
    return comparison(estimate, range, .equivalent, note)
  }

  /// Returns the interval of one further value, which never excludes those that there are.
  private static func prediction(_ values: [Double], level: Double) -> ClosedRange<Double>? {
    guard let smallest = values.min(), let largest = values.max() else { return nil }
    let count = Double(values.count)
    let moments = Moments(values)
    let variance = moments.squares / (count - 1)
    let t = Distributions.studentTwoSided(confidence: 1 - level, degrees: values.count - 1)
    let reach = t * (variance * (1 + 1 / count)).squareRoot()
    return min(smallest, moments.mean - reach)...max(largest, moments.mean + reach)
  }

  private func usable(_ sessions: [Run], but others: [Run]) -> [Run] {
    let left = allowsDifferentEnvironments ? [] : Set(others.map(\.id))
    return sessions.filter { !left.contains($0.id) }
  }

  /// Says that sessions are of other hosts.
  ///
  /// They count all the same: in containers one machine has another name each time.
  private static func elsewhere(_ sessions: [Run], _ candidate: Run) -> RunWarning? {
    guard let here = candidate.environment[.host] else { return nil }
    let hosts = sessions.compactMap { $0.environment[.host] }.filter { $0 != here }
    guard !hosts.isEmpty else { return nil }
    return RunWarning(
      code: otherHosts,
      message: "\(hosts.count) of \(sessions.count) sessions of the baseline "
        + (hosts.count == 1 ? "was" : "were")
        + " measured on another host (\(Set(hosts).sorted().joined(separator: ", ")))",
      remedy: "If that is another machine, add sessions of this one with `\(adding)`.")
  }

  private static func warnings(unlike count: Int, of all: Int) -> [RunWarning] {
    guard count > 0 else { return [] }
    return [
      leftOut(
        count, of: all, "with other parameters", code: otherParameters,
        remedy: "Measure with the parameters of the baseline, or keep one of these.")
    ]
  }

  private static func leftOut(
    _ count: Int, of all: Int, _ how: String, code: String, remedy: String
  ) -> RunWarning {
    RunWarning(
      code: code,
      message: "\(count) of \(all) sessions of the baseline "
        + (count == 1
          ? "was measured \(how) and is left out" : "were measured \(how) and are left out"),
      remedy: remedy)
  }

  /// In what the base differs, and each difference that is allowed once.
  private func differences(
    of base: Run, _ others: [Run], to candidate: Run
  ) -> [Environment.Difference] {
    let own = base.environment.differences(to: candidate.environment)
    guard allowsDifferentEnvironments else { return own }
    var allowed: [Environment.Difference] = []
    for other in others {
      allowed += other.environment.differences(to: candidate.environment).filter {
        $0.voids && !allowed.contains($0)
      }
    }
    return allowed + own.filter { !$0.voids }
  }

  private func warnings(_ candidate: Run, sessions: [Run], others: [Run]) -> [RunWarning] {
    let usable = self.usable(sessions, but: others)
    var warnings: [RunWarning] = []
    if usable.count < sessions.count {
      warnings.append(
        Self.leftOut(
          others.count, of: sessions.count, "in another environment", code: Self.otherEnvironment,
          remedy: "Add sessions of this machine with `\(Self.adding)`, or pass "
            + "--allow-different-environments."))
    } else if let other = others.last {
      warnings += RunComparer.environments(
        other.environment, candidate.environment, areAllowed: true)
    }
    if let elsewhere = Self.elsewhere(usable, candidate) { warnings.append(elsewhere) }
    if usable.count < Self.sessionsNeeded {
      warnings.append(
        RunWarning(
          code: "baseline.few_sessions",
          message:
            "the baseline has \(usable.count) \(usable.count == 1 ? "session" : "sessions") of this "
            + "environment, and a change can be told from \(Self.sessionsNeeded) on",
          remedy: "Add \(Self.sessionsNeeded - usable.count) more with `\(Self.adding)`, each of "
            + "another time."))
    }
    let starts = usable.map(\.started.milliseconds)
    if usable.count >= Self.sessionsNeeded, let first = starts.min(), let last = starts.max(),
      last - first < 3_600_000
    {
      warnings.append(
        RunWarning(
          code: "baseline.sessions_close",
          message:
            "all sessions of the baseline lie within an hour, so their spread is likely to be "
            + "smaller than that of other days",
          remedy: "Add sessions of other times, too."))
    }
    return warnings
  }
}
