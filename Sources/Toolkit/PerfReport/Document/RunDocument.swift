public import PerfModel
public import PerfStatistics

/// A run with its conclusions, the content of reports on one run.
public struct RunDocument: Sendable {
  /// The run.
  public internal(set) var run: Run
  /// The summaries of the metrics, in the order of display.
  let metrics: [MetricSummary]
  let budgets: [BudgetResult]
  let verdict: BudgetVerdict
  /// The path of the HTML report; nil without one.
  let reportPath: String?
  /// The noise status of the machine; nil if it was not requested.
  let noise: NoiseStatus?
  /// The code that the table of functions does not show as such.
  let folding: Folding
  /// The slowest spans of a name; nil if they were not requested.
  let slowSpans: SlowSpans?
  /// The judged expectations of the scenario that concern the run's variant.
  public var expectations: [ExpectationResult] = []
  /// The names of the metrics that decide comparisons of the scenario.
  public var gating: [String] = []
  /// The source lines of the functions with the most CPU time, in that order; see `withSources`.
  var sources: [SourceListing] = []

  /// Creates a document.
  public init(
    run: Run, metrics: [MetricSummary], budgets: [BudgetResult], verdict: BudgetVerdict,
    reportPath: String? = nil, noise: NoiseStatus? = nil, folding: Folding = .inlined,
    slowSpans: SlowSpans? = nil
  ) {
    self.run = run
    self.metrics = metrics
    self.budgets = budgets
    self.verdict = verdict
    self.reportPath = reportPath
    self.noise = noise
    self.folding = folding
    self.slowSpans = slowSpans
  }

  /// The run as text and tables.
  public var document: Document {
    let profile = [
      workTable, slowSpansTable, functionTable, threadTable, waitTable, taskTable, allocationTable,
    ]
    let sampler = run.importedFormat == nil ? run.profile : nil
    let quality = sampler.map { Document.Block.paragraph(Self.sentence(on: $0.audit)) }
    return Document(
      title: run.subject,
      blocks: [.verdict(verdictSentence, verdictTone), .facts(facts)]
        + Document.Block.each([budgetTable, expectationTable, metricTable, failureTable])
        + [quality].compactMap(\.self) + Document.Block.each(profile)
        + Document.Block.end(warnings, reportPath))
  }

  /// The warnings of the run, of the sampler, and about disturbances of the launches.
  public var warnings: [RunWarning] {
    run.warnings + (run.profile?.audit.warnings ?? []) + Disturbance.warnings(of: run)
      + [slowSpans?.warning].compactMap(\.self)
  }

  var facts: [Document.Fact] {
    let dirty = run.environment[.dirty] == "true" ? ", with uncommitted changes" : ""
    let shown = run.command.prefix(Self.mostWords)
    let left = run.command.count - shown.count
    let more = left > 0 ? " and \(left) more words" : ""
    let facts = [
      ("run", run.id), ("label", run.label), ("started", run.started.short + " UTC"),
      ("commit", Wording.commit(run.environment[.commit]).map { $0 + dirty }),
      ("launches", launches),
      ("calibration", run.environment[.calibration]),
      ("noise", run.importedFormat == nil ? noise?.summary : nil),
      ("command", "perfkit " + Wording.command(Array(shown)) + more),
    ]
    return facts.compactMap { name, value in value.map { Document.Fact(name, $0) } }
  }

  /// The maximum number of displayed words of a command: expanded file names would hide the
  /// results.
  private static let mostWords = 40

  var launches: String {
    if let format = run.importedFormat { return "none, the profile is imported (\(format))" }
    let warmups = run.launches.count { $0.isWarmup }
    var text = "\(run.measured.count) measured"
    if warmups > 0 { text += " after \(Wording.count(warmups, "warm-up", "warm-ups"))" }
    if !failures.isEmpty { text += ", \(failures.count) did not complete" }
    return text + (run.wasInterrupted ? "; stopped early" : "")
  }

  var failures: [Launch] {
    run.launches.filter { $0.status != .completed }
  }
}

extension Profile {
  /// The number of samples of threads that ran.
  var runningSamples: Int {
    counts.reduce(0) { $0 + ($1.state == .running ? $1.samples : 0) }
  }
}

// MARK: - Verdict

extension RunDocument {
  /// One or two sentences on whether the budgets hold, with the broken ones.
  var verdictSentence: String {
    let judgement = budgets.isEmpty ? profileSentence : onBudgets
    // The loss of all launches is more important than budgets, or that there are none.
    if run.measured.isEmpty, profileSentence == nil, let lossSentence {
      return [lossSentence, judgement].compactMap(\.self).joined(separator: " ")
    }
    let kind = run.work == nil ? "" : " of counted work"
    return [judgement ?? "Not judged: \(run.subject) has no budgets\(kind).", lossSentence]
      .compactMap(\.self).joined(separator: " ")
  }

  /// A sentence on the launches that did not complete; nil if all completed.
  var lossSentence: String? {
    guard !failures.isEmpty else { return nil }
    let ends = Dictionary(grouping: failures) { $0.status.description }
      .sorted { $0.key < $1.key }
      .map { $0.value.count == 1 ? $0.key : "\($0.value.count) \($0.key)" }
    let lost = failures.count
    let list = Wording.list(ends)
    let limit = warnings.first { $0.code == RunWarning.timedOutCode }
      .map { Wording.sentence($0.message) }
    return "\(lost) of \(Wording.count(run.launches.count, "launch", "launches")) did not complete:"
      + " \(list)\(list.hasSuffix(".") ? "" : ".")" + (limit.map { " \($0)" } ?? "")
  }

  /// A sentence on the profile of a run that is nothing else, of `perfkit record` or imported; otherwise
  /// nil.
  public var profileSentence: String? {
    let origin = run.importedFormat.map { "Imported from \($0)" }
    guard let title = origin ?? (run.variant == Run.recordVariant ? "Profiled" : nil),
      let profile = run.profile
    else { return nil }
    let sum = profile.counts.reduce(0) { $0 + ($1.state == .running ? $1.weight : 0) }
    let samples = Wording.count(profile.runningSamples, "sample")
    return "\(title): "
      + (profile.measure.hasSamples && profile.measure != .samples ? "\(samples), " : "")
      + "\(Wording.sampled(sum, profile.measure)), "
      + "\(Wording.count(profile.functions.count, "function")), "
      + "\(Wording.count(profile.threads.count, "thread"))."
  }

  var verdictTone: Tone {
    budgets.isEmpty ? (failures.isEmpty ? .plain : .unknown) : Tone(verdict)
  }

  private var onBudgets: String {
    let broken = budgets.filter { $0.verdict == .broken }
    let unknown = budgets.filter { $0.verdict == .unknown }
    guard broken.isEmpty else {
      let named = broken.prefix(3).map(Self.measuredAndLimit)
      let more = broken.count > 3 ? ", and \(broken.count - 3) more" : ""
      return "\(run.subject) breaks \(broken.count) of "
        + "\(Wording.count(budgets.count, "budget")): \(named.joined(separator: ", "))"
        + "\(more)."
    }
    guard unknown.isEmpty else {
      return "\(run.subject) breaks no budget, but \(unknown.count) of \(budgets.count) "
        + "\(unknown.count == 1 ? "is" : "are") undecided: "
        + "\(Wording.list(unknown.prefix(3).map(\.budget.description)))."
    }
    guard verdict == .held else {
      return "\(run.subject) is undecided: its budgets hold in the completed launches only."
    }
    return budgets.count == 1
      ? "\(run.subject) holds its budget: \(Self.measuredAndLimit(budgets[0]))."
      : "\(run.subject) holds all \(budgets.count) budgets."
  }

  private static func measuredAndLimit(_ result: BudgetResult) -> String {
    let budget = result.budget
    let subject =
      budget.statistic == .percentile(50)
      ? budget.metric : "\(budget.statistic)(\(budget.metric))"
    let value = Wording.measured(result).value
    return "\(subject) is \(value) (limit \(budget.comparison.rawValue) \(budget.limit))"
  }
}
