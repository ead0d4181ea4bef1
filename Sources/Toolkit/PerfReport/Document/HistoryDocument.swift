internal import PerfModel
public import PerfStatistics

/// A metric over the commits, the content of reports on a history.
public struct HistoryDocument: Sendable {
  let history: MetricHistory
  let scenario: String
  let variant: String
  /// The first lines of the commit messages, by commit.
  let summaries: [String: String]
  /// Whether the order is that of the commits in a repository, not that of the runs in time.
  let isInCommitOrder: Bool
  /// Whether `perfkit run` measures the scenario by its name.
  let hasScenarioFile: Bool

  /// Creates a document.
  public init(
    _ history: MetricHistory, scenario: String, variant: String, summaries: [String: String] = [:],
    isInCommitOrder: Bool, hasScenarioFile: Bool = true
  ) {
    self.history = history
    self.scenario = scenario
    self.variant = variant
    self.summaries = summaries
    self.isInCommitOrder = isInCommitOrder
    self.hasScenarioFile = hasScenarioFile
  }

  var title: String { "\(scenario):\(variant), \(history.definition.name)" }

  /// The document with verdict, sparkline, changes and commits.
  public var document: Document {
    Document(
      title: title,
      blocks: [
        .verdict(sentence, tone), .facts(facts), .table(changeTable), .table(pointTable),
        .warnings(warnings),
      ])
  }

  // MARK: - Sentences

  var sentence: String {
    let (metric, count) = (history.definition.name, history.points.count)
    let commits = Wording.count(count, noun)
    guard count >= MetricHistory.pointsNeeded else {
      return
        "Undecided: a change of \(metric) needs \(MetricHistory.pointsNeeded) \(noun)s, the "
        + "history has \(count)."
    }
    guard let last = history.changes.last else {
      return unjudged.map { "Undecided: \($0.clause)." }
        ?? "No change: \(metric) shows none beyond noise over \(commits)."
    }
    let words =
      "\(change(last)) from \(value(last.before)) to \(value(last.after)) "
      + "at \(name(history.points[last.index]))"
    let times = Wording.count(history.changes.count, "time")
    return history.changes.count == 1
      ? "\(metric) changed once over \(commits): \(words)."
      : "\(metric) changed \(times) over \(commits), last by \(words)."
  }

  /// The latest commits, or else the first ones, that are far from the others but too few for a change.
  ///
  /// The value has a clause about them, and the index of the first point behind the step; it is nil if there are none.
  private var unjudged: (clause: String, index: Int)? {
    let points = history.points
    guard points.count >= MetricHistory.pointsNeeded else { return nil }
    func clause(_ far: Range<Int>, _ verb: String, _ end: String, _ level: String) -> String {
      "\(history.definition.name) \(verb) \(range(far)) \(end), far from \(level), but "
        + "\(Wording.count(far.count, noun)) cannot show a change"
    }
    let (latest, start) = (history.unjudged, history.unjudgedFirst)
    if let first = latest.first {
      let level = "\(value(points[first - 1].value)) before"
      return (clause(latest, "is", "since \(name(points[first]))", level), first)
    }
    guard let last = start.last else { return nil }
    let level = "\(value(points[last + 1].value)) after"
    return (clause(start, "was", "up to \(name(points[last]))", level), last + 1)
  }

  private func range(_ points: Range<Int>) -> String {
    let values = history.points[points].map(\.value)
    let (low, high) = (value(values.min() ?? 0), value(values.max() ?? 0))
    return low == high ? low : "\(low) to \(high)"
  }

  /// Runs of work trees with changes, and runs without a commit, are points as well.
  private var noun: String {
    history.points.allSatisfy { $0.commit != nil && !$0.isDirty } ? "commit" : "build"
  }

  private var tone: Tone {
    guard history.points.count >= MetricHistory.pointsNeeded else { return .unknown }
    guard let last = history.changes.last else { return unjudged == nil ? .plain : .unknown }
    return last.verdict.map(Tone.init) ?? .plain
  }

  private var facts: [Document.Fact] {
    let values = history.points.map(\.value)
    guard let low = values.min(), let high = values.max() else { return [] }
    return [
      .init("series", Sparkline.text(of: values, width: Self.sparklineWidth)),
      .init("range", low == high ? value(low) : "\(value(low)) to \(value(high))"),
      .init("order", isInCommitOrder ? "commits" : "time of the runs"),
    ]
  }

  /// The width for which the line with the fact's name fits into 80 columns.
  private static let sparklineWidth = 70

  var warnings: [RunWarning] {
    var warnings = history.omissions.map { omission in
      let runs = Wording.count(omission.count, "run")
      return RunWarning(
        code: "history.left_out",
        message: "\(runs) \(omission.reason) \(omission.count == 1 ? "is" : "are") excluded")
    }
    if history.earlier > 0 {
      let commits = Wording.count(history.earlier, "earlier commit")
      warnings.append(
        RunWarning(
          code: "history.limited",
          message: "\(commits) \(history.earlier == 1 ? "is" : "are") beyond the limit",
          remedy: "Pass a larger --limit."))
    }
    let missing = MetricHistory.pointsNeeded - history.points.count
    if missing > 0 {
      warnings.append(
        RunWarning(
          code: "history.short",
          message: "changes are searched for in \(MetricHistory.pointsNeeded) or more \(noun)s",
          remedy: "Build and measure \(Wording.count(missing, "more \(noun)")): "
            + (hasScenarioFile ? "`perfkit run \(scenario)`." : "repeat the command of the runs.")
        ))
    }
    if let (clause, index) = unjudged {
      let ends = [history.points[index - 1], history.points[index]]
      let hasCommits = hasScenarioFile && ends.allSatisfy { $0.commit != nil && !$0.isDirty }
      let command =
        hasCommits
        ? "diff \(name(ends[0])) \(name(ends[1])) --scenario \(scenario)"
        : "compare \(ends[0].runs[0]) \(ends[1].runs[0])"
      warnings.append(
        RunWarning(
          code: "history.recent", message: clause,
          remedy: "`perfkit \(command)` judges the change now."))
    }
    return warnings + history.changes.compactMap(bisectHint)
  }

  /// Returns a warning with a bisect command if a regression is between commits that are not
  /// adjacent.
  private func bisectHint(_ change: MetricHistory.Change) -> RunWarning? {
    let (before, after) = (history.points[change.index - 1], history.points[change.index])
    guard let count = change.unmeasured, count > 0, change.verdict == .regressed,
      let good = Wording.commit(before.commit), let bad = Wording.commit(after.commit)
    else { return nil }
    return RunWarning(
      code: "history.unmeasured",
      message: Wording.count(count, "commit") + " between \(good) and \(bad) "
        + (count == 1 ? "was" : "were") + " not measured",
      remedy: "`perfkit bisect \(good) \(bad) --scenario \(scenario) --metric "
        + "\(history.definition.name)` finds the commit that regressed.")
  }

  func value(_ value: Double) -> String { Wording.value(value, history.definition.dimension) }

  func change(_ change: MetricHistory.Change) -> String {
    Wording.change(change.size.value, of: history.definition)
  }

  /// Returns the commit, with a plus sign for uncommitted changes; the run if there is no commit.
  func name(_ point: MetricHistory.Point) -> String {
    Wording.commit(point.commit).map { $0 + (point.isDirty ? "+" : "") } ?? point.runs[0]
  }
}
