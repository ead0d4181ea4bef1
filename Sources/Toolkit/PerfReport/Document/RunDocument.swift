public import PerfModel
public import PerfStatistics

/// A run with what was concluded from it: what reports of one run are made from.
public struct RunDocument: Sendable {
  /// The run.
  public let run: Run
  /// Its metrics, in the order in which they are listed.
  public let metrics: [MetricSummary]
  /// Its budgets, as judged.
  public let budgets: [BudgetResult]
  /// What follows of the budgets together.
  public let verdict: BudgetVerdict
  /// Where the HTML report lies, or nil.
  public let reportPath: String?
  /// What is known of the machine's noise; nil where nobody asked.
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

  /// The run in words and tables.
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

  /// The run's warnings, the sampler's, and what disturbed its launches.
  public var warnings: [RunWarning] {
    run.warnings + (run.profile?.audit.warnings ?? []) + Disturbance.warnings(of: run)
  }

  /// What a reader needs to find the run again.
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
        "perfkit " + Wording.command(Array(shown)) + (left > 0 ? " and \(left) words more" : "")))
    return facts
  }

  /// Words of a command that are shown: files that a shell has listed would push the results away.
  private static let mostWords = 40

  private var launches: String {
    let warmups = run.launches.count { $0.isWarmup }
    var text = "\(run.measured.count) measured"
    if warmups > 0 { text += " after \(Wording.count(warmups, "warm-up", "warm-ups"))" }
    let lost = failures.count
    if lost > 0 { text += ", \(lost) did not complete" }
    return text + (run.wasInterrupted ? "; stopped before all were made" : "")
  }

  /// Launches that count but did not complete.
  var failures: [Launch] {
    run.launches.filter { $0.status != .completed }
  }
}
