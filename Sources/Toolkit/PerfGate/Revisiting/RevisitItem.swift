internal import PerfModel
internal import PerfReport
internal import PerfRunner

/// A comparison that measures kept decisions again.
struct RevisitItem {
  /// The number of decisions that an item measures.
  enum Kind: String {
    /// One decision: the current state against the same state without its change.
    case alone
    /// All decisions of a scenario: the anchor against the current state.
    case together
  }

  enum Sides {
    case revisions(base: GitCheckout.Revision, candidate: GitCheckout.Revision, variant: String)
    case variants(base: String, candidate: String)
    /// The comparison is impossible, with the reason.
    case impossible(String)
  }

  let kind: Kind
  let scenario: String
  /// The decisions, the earliest first; at least one.
  let decisions: [Decision]
  let sides: Sides
  /// Nanoseconds of a pair when the change was decided; nil if unknown.
  var timePerPair: Double?

  /// The verdict when the change was decided; the best verdict of several decisions.
  var verdictThen: ComparisonVerdict {
    let verdicts = decisions.map(\.verdict)
    return [.improved, .regressed, .equivalent].first(where: verdicts.contains) ?? .inconclusive
  }

  /// The numbers of the decisions, such as `3` or `1, 3 and 4`.
  var numbers: String { Wording.list(decisions.map { "\($0.number)" }) }

  /// Both sides in words; empty if the comparison is impossible.
  var titles: (base: String, candidate: String) {
    switch sides {
    case .revisions(let base, let candidate, _): (base.title, candidate.title)
    case .variants(let base, let candidate): (base, candidate)
    case .impossible: ("", "")
    }
  }

  var obstacle: String? { if case .impossible(let reason) = sides { reason } else { nil } }

  /// The scenario and variants, for an estimate of the time.
  var measured: WorstCase.Item {
    var item =
      switch sides {
      case .revisions(_, _, let variant): WorstCase.Item(scenario, variant)
      case .variants(let base, let candidate): WorstCase.Item(scenario, base, candidate)
      case .impossible: WorstCase.Item(scenario)
      }
    item.timePerPair = timePerPair
    return item
  }

  var json: JSONValue {
    .object([
      "decisions": .array(decisions.map { .int($0.number) }),
      "scenario": .string(scenario),
      "kind": .string(kind.rawValue),
      "base": .string(titles.base),
      "candidate": .string(titles.candidate),
      "time_per_pair": timePerPair.map { .number($0) } ?? .null,
      "reason": obstacle.map { .string($0) } ?? .null,
    ])
  }
}

/// The current effect of kept decisions.
enum RevisitStanding: String {
  case pays
  case noLongerPays = "no longer pays"
  /// The change had no effect when it was kept, and has none now.
  case noEffect = "no effect"
  /// The change was kept although it regressed a metric, and it still does.
  case stillCosts = "still costs"
  /// The change was kept although it regressed a metric, and it no longer does.
  case costsNoMore = "costs no more"
  case undecided
  case void
  case notMeasured = "not measured"

  init(then: ComparisonVerdict, now: ComparisonVerdict) {
    switch (now, then) {
    case (.improved, _): self = .pays
    case (.inconclusive, _): self = .undecided
    case (.void, _): self = .void
    case (.regressed, .regressed): self = .stillCosts
    case (.equivalent, .regressed): self = .costsNoMore
    case (.equivalent, .equivalent), (.equivalent, .inconclusive), (.equivalent, .void):
      self = .noEffect
    case (.equivalent, .improved), (.regressed, _): self = .noLongerPays
    }
  }
}
