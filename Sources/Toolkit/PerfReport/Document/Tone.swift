internal import PerfModel

/// The meaning of a text; renderers never express it by colour alone.
public enum Tone: String, Sendable {
  case plain, good, bad
  /// An undecided result.
  case unknown
  /// Less important text, such as noise.
  case muted
  case strong
}

extension Tone {
  init(_ verdict: BudgetVerdict) {
    switch verdict {
    case .held: self = .good
    case .broken: self = .bad
    case .unknown: self = .unknown
    }
  }

  init(_ verdict: ComparisonVerdict) {
    switch verdict {
    case .improved: self = .good
    case .regressed: self = .bad
    case .equivalent: self = .muted
    case .inconclusive, .void: self = .unknown
    }
  }
}
