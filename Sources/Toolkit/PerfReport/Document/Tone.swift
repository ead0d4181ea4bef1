internal import PerfModel

/// The meaning of a text; renderers never express it by colour alone.
public enum Tone: String, Hashable, Sendable {
  /// Neutral text.
  case plain
  /// A good result.
  case good
  /// A bad result.
  case bad
  /// An undecided result.
  case unknown
  /// Less important text, such as noise.
  case muted
  /// Emphasised text.
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
