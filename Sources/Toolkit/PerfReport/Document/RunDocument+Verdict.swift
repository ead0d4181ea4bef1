internal import PerfModel

extension RunDocument {
  /// One sentence that says whether the budgets hold, with the worst of them.
  public var verdictSentence: String {
    let sentence = budgets.isEmpty ? withoutBudgets : onBudgets
    guard !failures.isEmpty else { return sentence }
    let ends = Dictionary(grouping: failures) { $0.status.description }
      .sorted { $0.key < $1.key }
      .map { $0.value.count == 1 ? $0.key : "\($0.value.count) \($0.key)" }
    let lost = failures.count
    return sentence
      + " \(lost) of \(Wording.count(run.launches.count, "launch", "launches")) did not complete:"
      + " \(Wording.list(ends))."
  }

  /// What the sentence means.
  public var verdictTone: Tone {
    budgets.isEmpty ? (failures.isEmpty ? .plain : .unknown) : Tone(verdict)
  }

  private var withoutBudgets: String {
    "\(run.subject) has no budgets: measured, not judged."
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
      return "\(run.subject) breaks no budget, but \(unknown.count) of \(budgets.count) cannot be "
        + "decided: \(Wording.list(unknown.prefix(3).map(\.budget.description)))."
    }
    guard verdict == .held else {
      return "\(run.subject) holds its budgets in the launches that completed, which is not enough."
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
