public import PerfModel
public import PerfStatistics

/// A run with its conclusions, the content of reports on one run.
public struct RunDocument: Sendable {
  /// The run.
  public let run: Run
  /// The summaries of the metrics, in the order of display.
  public let metrics: [MetricSummary]
  /// The evaluated budgets.
  public let budgets: [BudgetResult]
  /// The combined verdict of the budgets.
  public let verdict: BudgetVerdict
  /// The path of the HTML report; nil without one.
  public let reportPath: String?
  /// The noise status of the machine; nil if it was not requested.
  public let noise: NoiseStatus?

  /// Creates a document.
  public init(
    run: Run, metrics: [MetricSummary], budgets: [BudgetResult], verdict: BudgetVerdict,
    reportPath: String? = nil, noise: NoiseStatus? = nil
  ) {
    self.run = run
    self.metrics = metrics
    self.budgets = budgets
    self.verdict = verdict
    self.reportPath = reportPath
    self.noise = noise
  }

  /// The run as text and tables.
  public var document: Document {
    var blocks: [Document.Block] = [
      .verdict(verdictSentence, verdictTone),
      .facts(facts),
    ]
    blocks += [budgetTable, metricTable, failureTable].compactMap { $0.map(Document.Block.table) }
    if let audit = run.profile?.audit { blocks.append(.paragraph(Self.sentence(on: audit))) }
    blocks += [functionTable, threadTable, waitTable, allocationTable].compactMap {
      $0.map(Document.Block.table)
    }
    blocks.append(.warnings(warnings))
    if let reportPath { blocks.append(.paragraph("Report: \(reportPath)")) }
    return Document(title: run.subject, blocks: blocks)
  }

  /// The warnings of the run, of the sampler, and about disturbances of the launches.
  public var warnings: [RunWarning] {
    run.warnings + (run.profile?.audit.warnings ?? []) + Disturbance.warnings(of: run)
  }

  /// The facts that identify the run.
  public var facts: [Document.Fact] {
    var facts = [Document.Fact("run", run.id)]
    if let label = run.label { facts.append(.init("label", label)) }
    facts.append(.init("started", run.started.short + " UTC"))
    if let commit = Wording.commit(run.environment[.commit]) {
      let isDirty = run.environment[.dirty] == "true"
      facts.append(.init("commit", commit + (isDirty ? ", with uncommitted changes" : "")))
    }
    facts.append(.init("launches", launches))
    if let noise { facts.append(.init("noise", noise.summary)) }
    let shown = run.command.prefix(Self.mostWords)
    let left = run.command.count - shown.count
    facts.append(
      .init(
        "command",
        "perfkit " + Wording.command(Array(shown)) + (left > 0 ? " and \(left) more words" : "")))
    return facts
  }

  /// The maximum number of displayed words of a command: expanded file names would hide the
  /// results.
  private static let mostWords = 40

  private var launches: String {
    let warmups = run.launches.count { $0.isWarmup }
    var text = "\(run.measured.count) measured"
    if warmups > 0 { text += " after \(Wording.count(warmups, "warm-up", "warm-ups"))" }
    let lost = failures.count
    if lost > 0 { text += ", \(lost) did not complete" }
    return text + (run.wasInterrupted ? "; interrupted by the user" : "")
  }

  /// The launches that did not complete.
  var failures: [Launch] {
    run.launches.filter { $0.status != .completed }
  }
}

// MARK: - Verdict

extension RunDocument {
  /// One or two sentences on whether the budgets hold, with the broken ones.
  public var verdictSentence: String {
    let sentence = budgets.isEmpty ? withoutBudgets : onBudgets
    guard !failures.isEmpty else { return sentence }
    let ends = Dictionary(grouping: failures) { $0.status.description }
      .sorted { $0.key < $1.key }
      .map { $0.value.count == 1 ? $0.key : "\($0.value.count) \($0.key)" }
    let lost = failures.count
    let list = Wording.list(ends)
    return sentence
      + " \(lost) of \(Wording.count(run.launches.count, "launch", "launches")) did not complete:"
      + " \(list)\(list.hasSuffix(".") ? "" : ".")"
  }

  /// The tone of the verdict sentence.
  public var verdictTone: Tone {
    budgets.isEmpty ? (failures.isEmpty ? .plain : .unknown) : Tone(verdict)
  }

  private var withoutBudgets: String {
    "Not judged: \(run.subject) has no budgets."
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
