internal import PerfModel
internal import PerfReport
internal import PerfRunner

/// One comparison by which kept decisions are looked at again.
struct RevisitItem {
  /// What is measured again.
  enum Kind: String {
    /// One decision: what there is now against the same without its change.
    case alone
    /// All decisions of a scenario: the anchor against what there is now.
    case together
  }

  /// What is compared.
  enum Sides {
    case revisions(base: GitCheckout.Revision, candidate: GitCheckout.Revision, variant: String)
    case variants(base: String, candidate: String)
    /// Nothing, and why.
    case impossible(String)
  }

  /// Which of both.
  let kind: Kind
  /// The scenario.
  let scenario: String
  /// The decisions that it is about, the earliest first; at least one.
  let decisions: [Decision]
  /// What is compared.
  let sides: Sides
  /// Nanoseconds that a pair took when it was decided; nil when that is not known any more.
  var timePerPair: Double?

  /// What was said of it when it was decided; of several decisions the best.
  var verdictThen: ComparisonVerdict {
    let verdicts = decisions.map(\.verdict)
    return [.improved, .regressed, .equivalent].first(where: verdicts.contains) ?? .inconclusive
  }

  /// Whose it is, as `3` or `1, 3 and 4`.
  var numbers: String { Wording.list(decisions.map { "\($0.number)" }) }

  /// Both sides in words; nothing where there are none.
  var titles: (base: String, candidate: String) {
    switch sides {
    case .revisions(let base, let candidate, _): (base.title, candidate.title)
    case .variants(let base, let candidate): (base, candidate)
    case .impossible: ("", "")
    }
  }
}

/// What became of kept decisions.
enum RevisitStanding: String {
  case pays
  case noLongerPays = "no longer pays"
  /// It made nothing better when it was kept, and does not now.
  case noEffect = "no effect"
  /// It was kept though it made something worse, and still does.
  case stillCosts = "still costs"
  /// It was kept though it made something worse, and does not any more.
  case costsNoMore = "costs no more"
  case undecided
  case void
  case notMeasured = "not measured"

  /// Concludes of what was said then and what is measured now.
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
