internal import PerfModel
internal import PerfReport
internal import PerfStatistics
internal import PerfStore

/// A run with everything that is concluded from it, ready to be shown.
struct RunSummary {
  let run: Run
  let metrics: [MetricSummary]
  let budgets: [BudgetResult]
  let verdict: BudgetVerdict
  /// What is known of the noise of the machine; nil where nobody asked.
  let noise: NoiseStatus?
  /// Where its HTML lies, once it is written.
  var reportPath: String?

  /// Concludes.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - store: May have the noise certificate of the machine; nil to leave it out.
  init(_ run: Run, in store: RunStore? = nil) {
    self.run = run
    noise = store?.noise(of: run)
    metrics = MetricSummary.summaries(of: run)
    budgets = BudgetEvaluator.evaluate(run)
    verdict = BudgetEvaluator.verdict(of: run, budgets)
  }

  /// Whether there is nothing to conclude: no launch completed, and no budget is broken by that.
  var saysNothing: Bool {
    run.measured.isEmpty && !budgets.contains { $0.verdict == .broken }
  }

  /// Says why there is nothing to conclude, where there is not.
  ///
  /// - Parameter isStopped: Whether the user wanted to stop.
  /// - Returns: It in words.
  func nothing(isStopped: Bool) -> String {
    run.profiled.isEmpty && !isStopped
      ? "--max-time was over before the first measured launch" : "no launch completed"
  }

  /// Says how many launches did not complete.
  ///
  /// - Parameter side: What they are launches of, where there are others.
  /// - Returns: It in words; nil when all did.
  func loss(of side: String? = nil) -> String? {
    let (made, lost) = (run.profiled.count, run.profiled.count - run.measured.count)
    let launches = side.map { "launches of the \($0)" } ?? "launches"
    return lost == 0 ? nil : "\(lost) of \(made) \(launches) did not complete"
  }

  /// What renderers show.
  var document: RunDocument {
    RunDocument(
      run: run, metrics: metrics, budgets: budgets, verdict: verdict, reportPath: reportPath,
      noise: noise)
  }

  /// Writes summaries one after the other; as JSON a single object, or an array of several.
  static func write(
    _ summaries: [RunSummary], output: OutputOptions, global: GlobalOptions, context: Context
  ) throws {
    guard !summaries.isEmpty else { return }
    let documents = summaries.map(\.document)
    try output.write(
      Document(
        title: summaries.map(\.run.subject).joined(separator: ", "),
        blocks: documents.flatMap(\.document.blocks)),
      json: documents.count == 1 ? documents[0].json : .array(documents.map(\.json)),
      csv: { CSVRenderer().render(documents) },
      global: global, context: context)
  }
}

extension ExitStatus {
  /// What a verdict on budgets says.
  init(_ verdict: BudgetVerdict) {
    switch verdict {
    case .held: self = .done
    case .broken: self = .gateFailed
    case .unknown: self = .inconclusive
    }
  }

  /// What a verdict on a comparison says.
  init(_ verdict: ComparisonVerdict) {
    switch verdict {
    case .improved, .equivalent: self = .done
    case .regressed: self = .gateFailed
    case .inconclusive: self = .inconclusive
    case .void: self = .void
    }
  }
}
