public import PerfModel

/// The exit status of a command, which the file of verdicts records as well.
public enum ExitStatus: Int32, Sendable {
  /// The command succeeded; a gate passed.
  case done = 0
  /// A budget was broken or a gating metric regressed.
  case gateFailed = 1
  /// The tool or the scenario failed.
  case failed = 2
  /// The evidence is not sufficient.
  case inconclusive = 3
  /// The environments differ, or a control moved.
  case void = 4
  /// The command line is wrong.
  case usage = 64
  /// The user pressed Ctrl-C: 128 plus the signal's number, as in shells.
  case interrupted = 130

  /// Returns the status that represents several: 64 before 1, 2, 4, 3 and 0.
  public static func worst(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
    let order: [ExitStatus] = [.usage, .gateFailed, .failed, .void, .inconclusive]
    let present = Set(statuses)
    return order.first(where: present.contains) ?? .done
  }

  /// Creates the status of a verdict on budgets.
  public init(_ verdict: BudgetVerdict) {
    switch verdict {
    case .held: self = .done
    case .broken: self = .gateFailed
    case .unknown: self = .inconclusive
    }
  }

  /// Creates the status of a verdict on an expectation; one without a measurement has no say.
  public init(_ verdict: ExpectationVerdict) {
    switch verdict {
    case .kept, .notMeasured: self = .done
    case .broken: self = .gateFailed
    case .notTestable: self = .inconclusive
    }
  }

  /// Creates the status of a verdict on a comparison.
  public init(_ verdict: ComparisonVerdict) {
    switch verdict {
    case .improved, .equivalent: self = .done
    case .regressed: self = .gateFailed
    case .inconclusive: self = .inconclusive
    case .void: self = .void
    }
  }
}
