public import PerfModel
internal import PerfStatistics

/// The rule that decides claims, from stored runs or by arithmetic.
///
/// The 95 % interval decides: of the median over launches, or of the ratio between the launches of both
/// runs. If it reaches inside and outside of the allowed range, the claim is undecided. A verdict is
/// marked close if only the interval widened by `RunComparer.drift` does, because the runs come from
/// different sessions. Without an interval the estimate decides.
public enum ClaimJudge {
  /// Decides a claim.
  ///
  /// - Parameters:
  ///   - claim: The claim.
  ///   - run: Returns the run of a source, or nil if there is none.
  ///   - changes: Returns the changes of a run's scenario, parameters and program since the run, as
  ///     clauses; empty if the run is fresh.
  /// - Returns: The verdict with its figures.
  public static func finding(
    of claim: Claim, run: (Claim.Source) throws -> Run?,
    changes: (Run) -> [String] = { _ in [] }
  ) rethrows -> ClaimFinding {
    switch claim.evidence {
    case .notTestable(let reason): return ClaimFinding(verdict: .notTestable, reason: reason)
    case .computed(let formula, let text):
      guard let assertion = claim.assertion, let value = try? formula.value() else {
        return ClaimFinding(verdict: .notMeasured, reason: "The formula has no value.")
      }
      let figure = ClaimFinding.Figure(
        estimate: IntervalEstimate(exactly: value.baseValue), dimension: value.dimension,
        launches: 0)
      var finding = decided(assertion, before: nil, after: figure, change: nil)
      if finding.verdict == .contradicted {
        finding.cause = .init(text: "the study's own numbers, \(text)", isShown: nil)
      }
      return echoed(claim, finding)
    case .measured(let readings):
      guard let assertion = claim.assertion else {
        return ClaimFinding(verdict: .notMeasured, reason: "The claim has no number.")
      }
      let measured = try measured(assertion, readings, cap: claim.cap, run: run)
      var finding = echoed(claim, measured.finding)
      var runs = measured.runs
      if finding.verdict == .contradicted {
        let shown = try claim.cause?.test.map { test in
          try self.measured(test.assertion, test.readings, cap: nil, run: run)
        }
        runs += shown?.runs ?? []
        finding.cause = .init(claim.cause, shown?.finding, of: measured.runs)
      }
      finding.runs = runs.map(\.id).uniqued()
      return dated(finding, runs, changes)
    }
  }

  /// Returns a finding whose evidence repeats an input, if the claim says so.
  private static func echoed(_ claim: Claim, _ finding: ClaimFinding) -> ClaimFinding {
    guard let stated = claim.stated, let assertion = claim.assertion,
      let value = finding.figure(of: assertion)?.estimate.value, assertion.holds(for: value)
    else { return finding }
    var finding = finding
    finding.verdict = .stated
    finding.reason = stated
    return finding
  }

  /// Returns a finding that is stale if a scenario, its parameters or its program changed since a run.
  private static func dated(
    _ finding: ClaimFinding, _ runs: [Run], _ changes: (Run) -> [String]
  ) -> ClaimFinding {
    guard finding.verdict != .notMeasured else { return finding }
    let stale = Self.changes(since: runs, changes)
    guard !stale.isEmpty else { return finding }
    var finding = finding
    finding.last = finding.verdict
    finding.verdict = .stale
    let reasons = ["Was \(finding.last?.words ?? "")."] + stale + [finding.reason]
    finding.reason = reasons.filter { !$0.isEmpty }.joined(separator: " ")
    return finding
  }

  /// Returns the changes since each stale run, as sentences; empty if all runs are fresh.
  static func changes(since runs: [Run], _ changes: (Run) -> [String]) -> [String] {
    let sentences = runs.compactMap { run -> String? in
      let changes = changes(run)
      guard !changes.isEmpty else { return nil }
      return "Since run \(run.id) of \(run.subject), \(changes.joined(separator: ", "))."
    }
    return sentences.uniqued()
  }

  /// Decides an assertion about runs.
  private static func measured(
    _ assertion: Assertion, _ readings: Claim.Readings, cap: Quantity?,
    run: (Claim.Source) throws -> Run?
  ) rethrows -> (finding: ClaimFinding, runs: [Run]) {
    var sides: [ClaimSide] = []
    for reading in readings.all {
      guard let run = try run(reading.source) else {
        return (.notMeasured("There is no run of \(reading.source)."), sides.map(\.run))
      }
      guard let side = ClaimSide(reading, run) else {
        let missing = reading.formula.metrics.joined(separator: ", ")
        return (
          .notMeasured("Run \(run.id) of \(reading.source) has no \(missing)."),
          sides.map(\.run)
        )
      }
      sides.append(side)
    }
    let (before, after) = (readings.before.map { _ in sides[0] }, sides[sides.count - 1])
    var finding = decided(
      assertion, before: before?.figure, after: after.figure,
      change: before.flatMap { $0.change(to: after, as: assertion.aspect) })
    if let reason = before.flatMap({ $0.obstacle(to: after, cap: cap) }) {
      finding.verdict = .notTestable
      finding.reason = reason
      finding.isClose = false
    }
    return (finding, sides.map(\.run))
  }

  private static func decided(
    _ assertion: Assertion, before: ClaimFinding.Figure?, after: ClaimFinding.Figure?,
    change: ClaimFinding.Figure?
  ) -> ClaimFinding {
    var finding = ClaimFinding(
      verdict: .notMeasured, reason: "The ratio of a negative value is undefined.", before: before,
      after: after, change: change)
    guard let figure = finding.figure(of: assertion) else { return finding }
    let value = figure.estimate.value
    let breach = assertion.breach(by: value).map { "The estimate is \($0)." }
    finding.isClose = assertion.position(of: figure.estimate.widened) == nil
    guard let position = assertion.position(of: figure.estimate.range) else {
      finding.verdict = .undecided
      finding.reason =
        "The interval reaches inside and outside of the allowed range. "
        + (breach ?? "The estimate is inside.")
      return finding
    }
    finding.verdict = position == .inside ? .reproduced : .contradicted
    finding.reason = [breach, finding.isClose ? "Close: a drift of 5 % could change it." : nil]
      .compactMap(\.self).joined(separator: " ")
    return finding
  }
}

extension ClaimFinding {
  fileprivate static func notMeasured(_ reason: String) -> ClaimFinding {
    ClaimFinding(verdict: .notMeasured, reason: reason)
  }

  /// Returns the figure that an assertion is about.
  func figure(of assertion: Assertion) -> Figure? {
    switch assertion.aspect {
    case .before: before
    case .after: after
    case .less, .more, .reduction: change
    }
  }
}

extension ClaimFinding.Cause {
  /// Creates a cause with the result of its test, or of the claim's runs if it has none.
  ///
  /// - Parameters:
  ///   - cause: The cause; nil if it is unknown.
  ///   - shown: The result of the cause's test; nil without a test.
  ///   - runs: The runs of the claim, before and after the change.
  fileprivate init(_ cause: Claim.Cause?, _ shown: ClaimFinding?, of runs: [Run]) {
    guard let cause else {
      self.init(text: nil, isShown: nil)
      return
    }
    guard let test = cause.test, let shown else {
      self.init(cause.text, shownBy: runs)
      return
    }
    let value = shown.figure(of: test.assertion).map {
      $0.text(in: test.assertion, isAsserted: true)
    }
    self.init(
      text: cause.text, isShown: shown.verdict == .reproduced,
      test: "\(test.readings): \(value ?? shown.reason)")
  }

  /// Creates a cause that two runs show if they differ in one parameter alone.
  private init(_ text: String, shownBy runs: [Run]) {
    let (before, after) = (runs.first?.basis, runs.last?.basis)
    let changes = before.flatMap { after?.changes(since: $0) } ?? []
    let isShown = changes.count == 1 && before?.parameters != after?.parameters
    let words = isShown ? "the runs differ in" : "the runs do not differ in"
    let list = changes.isEmpty ? "" : ": \(changes.joined(separator: ", "))"
    self.init(text: text, isShown: isShown, test: "\(words) one parameter alone\(list)")
  }
}

extension IntervalEstimate {
  /// The interval with the estimate; the estimate alone without an interval.
  fileprivate var range: ClosedRange<Double> {
    Swift.min(low ?? value, value)...Swift.max(high ?? value, value)
  }

  /// The interval, widened by the drift between sessions.
  ///
  /// Without an interval, or if all launches have the same value, the result is the estimate alone.
  fileprivate var widened: ClosedRange<Double> {
    let range = range
    guard range.lowerBound < range.upperBound else { return range }
    let drift = 1 + RunComparer.drift
    let low = Swift.min(range.lowerBound / drift, range.lowerBound * drift)
    return low...Swift.max(range.upperBound / drift, range.upperBound * drift)
  }
}
