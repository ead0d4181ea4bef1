internal import PerfModel

/// What a piece of text means, so that a renderer can show it; never by colour alone.
public enum Tone: String, Hashable, Sendable {
  case plain
  case good
  case bad
  case unknown
  /// Less important: noise, what cannot be told apart.
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
