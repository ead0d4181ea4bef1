public import PerfModel

extension RunComparer {
  /// The code of the warning that sessions with other parameters are left out.
  public static let otherParameters = "baseline.other_parameters"
  /// The code of the warning that sessions were measured on other hosts.
  public static let otherHosts = "baseline.other_hosts"
  /// The code of the warning that sessions of other environments are left out.
  public static let otherEnvironment = "baseline.other_environment"
  /// The smallest number of sessions for a verdict: with fewer, their spread is unknown.
  private static let sessionsNeeded = 5
  /// The command that adds a session; without `--add` it replaces the baseline.
  private static let adding = "perfkit baseline save NAME RUN --add"

  /// Compares a run with the stored sessions of a baseline.
  ///
  /// A stored baseline shows only changes beyond the spread between its sessions. A session is
  /// represented by one number, its median. The interval for one further session of the same
  /// program is Student's prediction interval at 1 - alpha / G for G gating metrics, extended to at
  /// least the range of the sessions: among n + 1 equal sessions the last is the worst with
  /// probability 1 / (n + 1), so the range alone would raise too many false alarms. The reported
  /// interval is the interval of the change. `equivalent` means only that the run is within the
  /// spread. The spread of sessions of one hour counts threefold for a change, except
  /// that of sizes and exact counts. A regression that the disturbance of the machine may explain is inconclusive.
  ///
  /// Sessions with other parameters or arguments of the command are not used, nor are those from other
  /// environments unless they are allowed. The base of the comparison is the newest usable session.
  ///
  /// - Throws: `StatisticsError.noSessions` if the baseline is empty.
  public func compare(
    _ candidate: Run, sessions: [Run]
  ) throws(StatisticsError) -> Comparison {
    func isForeign(_ session: Run) -> Bool {
      session.environment.differences(to: candidate.environment).contains(where: \.voids)
    }
    let alike = sessions.filter {
      $0.parameters(otherThanOf: candidate).isEmpty && $0.arguments(otherThanOf: candidate) == nil
    }
    let foreign = alike.filter(isForeign)
    let usable = allowsDifferentEnvironments ? alike : alike.filter { !isForeign($0) }
    let shown = usable.isEmpty ? sessions : usable
    guard let newest = shown.max(by: { $0.started < $1.started }) else { throw .noSessions }
    let plan = GatingPlan(
      policy, count: gatingCount, budgets: candidate.budgets, definitions: candidate.definitions)
    let areClose = Self.areClose(usable)
    let metrics = plan.ordered(
      candidate.definitions.compactMap { definition in
        compare(
          definition, candidate, usable, isGating: plan.names.contains(definition.name),
          level: plan.level, areClose: areClose)
      })
    return Comparison(
      id: "\(newest.id)-\(candidate.id)", base: .init(newest), candidate: .init(candidate),
      alpha: Self.alpha, seed: 0, sessions: usable.count, metrics: metrics, functions: [],
      environmentDifferences: differences(of: newest, foreign, to: candidate),
      warnings: warnings(candidate, sessions, alike: alike, foreign: foreign, usable: usable)
        + GatingMetrics.warnings(missing: plan.missing(from: metrics)),
      verdict: plan.verdict(metrics, isVoid: usable.isEmpty))
  }

  private func compare(
    _ definition: MetricDefinition, _ candidate: Run, _ sessions: [Run], isGating: Bool,
    level: Double, areClose: Bool
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
    let unit = scale.scale
    func comparison(
      _ estimate: Double?, _ range: ClosedRange<Double>?, _ verdict: ComparisonVerdict,
      _ note: String, failures: Int = 0
    ) -> MetricComparison {
      MetricComparison(
        definition: definition.compared(by: unit), base: old, candidate: new,
        ratio: old.flatMap { $0 > 0 ? new / $0 : nil }, estimate: estimate,
        low: range?.lowerBound, high: range?.upperBound, p: nil, n: (medians.count, values.count),
        margin: scale.margin, isGating: isGating, verdict: verdict, failures: failures, note: note)
    }
    let all = values + sessions.flatMap { $0.values(of: definition.name) }
    if let negatives = definition.negatives(in: all) {
      return comparison(nil, nil, .inconclusive, negatives)
    }
    guard let old else { return comparison(nil, nil, .inconclusive, "no session has the metric") }
    let position = unit.position(new)
    let estimate = unit.change(position - unit.position(old))
    let positions = medians.map(unit.position)
    guard medians.count >= Self.sessionsNeeded,
      let spread = Self.prediction(positions, level: level)
    else {
      return comparison(
        estimate, nil, .inconclusive,
        "the spread between sessions needs \(Self.sessionsNeeded) sessions, the baseline has "
          + "\(medians.count)"
      )
    }
    func judge(
      _ position: Double, in spread: ClosedRange<Double>
    ) -> (range: ClosedRange<Double>, verdict: ComparisonVerdict) {
      let range =
        unit.change(position - spread.upperBound)...unit.change(position - spread.lowerBound)
      let change = ChangeRule.Change(
        estimate: unit.change(position - unit.position(old)), decisive: range, plain: nil)
      return (
        range, ChangeRule.verdict(change, margin: scale.margin, direction: definition.direction)
      )
    }
    let (range, judged) = judge(position, in: spread)
    if definition.direction == .neutral {
      return comparison(estimate, range, .inconclusive, ChangeRule.neutralNote)
    }
    // The spread of sessions of one hour lacks the machine's other states.
    let isWidened = areClose && !definition.isDeterministic && definition.dimension != .size
    let decisive =
      isWidened ? Self.prediction(positions, level: level, reach: Self.reachOfClose) : nil
    if let decisive, [.regressed, .improved].contains(judged),
      judge(position, in: decisive).verdict != judged
    {
      return comparison(
        estimate, range, .inconclusive,
        "beyond the spread of \(medians.count) sessions, but not beyond three times the spread, as "
          + "they were measured within an hour")
    }
    if judged == .regressed, let relief = Disturbance.relief(of: definition, in: candidate) {
      let least = try? Quantiles.median(of: relief.values)
      guard let least,
        judge(unit.position(least), in: decisive ?? spread).verdict == .regressed
      else {
        return comparison(estimate, range, .inconclusive, relief.reason)
      }
    }
    // The launches without the metric may have become worse.
    let gap = MetricGap(definition.name, in: [("candidate", candidate)])
    if let gap, judged != .regressed {
      return comparison(estimate, range, .inconclusive, gap.words, failures: gap.failures)
    }
    guard judged == .inconclusive else { return comparison(estimate, range, judged, "") }
    let note =
      range.contains(0)
      ? "within the spread of \(medians.count) sessions"
      : "beyond the spread of \(medians.count) sessions, but less than the margin"
    return comparison(estimate, range, .equivalent, note)
  }

  /// Returns the interval for one further value, extended to the range of the given values.
  private static func prediction(
    _ values: [Double], level: Double, reach factor: Double = 1
  ) -> ClosedRange<Double>? {
    guard let smallest = values.min(), let largest = values.max() else { return nil }
    let count = Double(values.count)
    let moments = Moments(values)
    let variance = moments.squares / (count - 1)
    let t = Distributions.studentTwoSided(confidence: 1 - level, degrees: values.count - 1)
    let reach = factor * t * (variance * (1 + 1 / count)).squareRoot()
    return min(smallest, moments.mean - reach)...max(largest, moments.mean + reach)
  }

  /// Returns the base's environment differences, and once each allowed one of the other sessions.
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

  // MARK: - Warnings

  private func warnings(
    _ candidate: Run, _ sessions: [Run], alike: [Run], foreign: [Run], usable: [Run]
  ) -> [RunWarning] {
    var warnings = Self.leftOut(
      sessions.count - alike.count, of: sessions.count, "with other parameters or arguments",
      code: Self.otherParameters,
      remedy: "Measure with the baseline's parameters, or save a baseline with these.")
    warnings += Self.leftOut(
      alike.count - usable.count, of: alike.count, "in another environment",
      code: Self.otherEnvironment,
      remedy: "Add sessions of this machine with `\(Self.adding)`, or pass "
        + "--allow-different-environments.")
    if allowsDifferentEnvironments, let other = foreign.last {
      warnings += Self.environments(other.environment, candidate.environment, areAllowed: true)
    }
    warnings += Self.elsewhere(usable, candidate)
    if usable.count < Self.sessionsNeeded {
      warnings.append(
        RunWarning(
          code: "baseline.few_sessions",
          message:
            "the baseline has \(usable.count) \(usable.count == 1 ? "session" : "sessions") of this "
            + "environment; a verdict needs \(Self.sessionsNeeded)",
          remedy:
            "Add \(Self.sessionsNeeded - usable.count) more with `\(Self.adding)`, measured at "
            + "different times."))
    } else if Self.areClose(usable) {
      warnings.append(
        RunWarning(
          code: "baseline.sessions_close",
          message:
            "all sessions of the baseline were measured within an hour, so their spread is "
            + "probably smaller than the spread between days",
          remedy: "Add sessions from other times."))
    }
    return warnings
  }

  /// The factor of the spread of sessions of one hour.
  private static let reachOfClose = 3.0

  /// Returns whether all sessions were measured within an hour.
  private static func areClose(_ sessions: [Run]) -> Bool {
    let starts = sessions.map(\.started.milliseconds)
    guard let first = starts.min(), let last = starts.max() else { return false }
    return last - first < 3_600_000
  }

  /// Returns a warning about sessions from other hosts.
  ///
  /// They are used nevertheless: in containers one machine has many names.
  private static func elsewhere(_ sessions: [Run], _ candidate: Run) -> [RunWarning] {
    guard let here = candidate.environment[.host] else { return [] }
    let hosts = sessions.compactMap { $0.environment[.host] }.filter { $0 != here }
    guard !hosts.isEmpty else { return [] }
    return [
      RunWarning(
        code: otherHosts,
        message: "\(hosts.count) of \(sessions.count) sessions of the baseline "
          + (hosts.count == 1 ? "was" : "were")
          + " measured on another host (\(Set(hosts).sorted().joined(separator: ", ")))",
        remedy: "If that is another machine, add sessions of this machine with `\(adding)`.")
    ]
  }

  private static func leftOut(
    _ count: Int, of all: Int, _ how: String, code: String, remedy: String
  ) -> [RunWarning] {
    guard count > 0 else { return [] }
    let ending = count == 1 ? "was measured \(how) and is" : "were measured \(how) and are"
    return [
      RunWarning(
        code: code, message: "\(count) of \(all) sessions of the baseline \(ending) not used",
        remedy: remedy)
    ]
  }
}
