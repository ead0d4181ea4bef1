internal import Glibc
internal import PerfModel

/// The sequential judge of one metric.
struct MetricJudge {
  let definition: MetricDefinition
  let isGating: Bool
  let schedule: LookSchedule
  private let margin: Scenario.Margin
  private let seed: UInt64
  private var series: PairSeries
  private var looksPassed = 0
  /// The change at the last look.
  private var finding: PairedFinding?
  private var verdict: ComparisonVerdict?
  private var decidedAt: Int?
  private var note = ""

  init(
    _ definition: MetricDefinition, margin: Scenario.Margin, isGating: Bool,
    schedule: LookSchedule, launchesPerPair: Int, seed: UInt64
  ) {
    self.definition = definition
    self.margin = margin
    self.isGating = isGating
    self.schedule = schedule
    // The seed depends only on the metric's own name, not on the other metrics.
    self.seed = definition.name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    series = PairSeries(definition, launchesPerPair: launchesPerPair)
  }

  /// The number of complete pairs at the next look; nil if there is none.
  var nextLook: Int? {
    verdict == nil && looksPassed < schedule.looks.count
      ? schedule.looks[looksPassed].pairs : nil
  }

  /// The number of further complete pairs until the next look; nil if there is none.
  var pairsToNextLook: Int? { nextLook.map { $0 - series.count } }

  mutating func add(_ pair: LaunchPair) {
    // A verdict is final; later pairs are for other metrics.
    guard verdict == nil else { return }
    let before = series.count
    series.add(pair, definition)
    let made = series.count + max(series.lost.base, series.lost.candidate)
    if series.count == 0, made >= schedule.looks[0].pairs {
      verdict = .inconclusive
      return
    }
    guard series.count > before, series.count == nextLook else { return }
    look(schedule.looks[looksPassed])
    looksPassed += 1
    if verdict == nil, looksPassed == schedule.looks.count { verdict = .inconclusive }
  }

  private mutating func look(_ look: LookSchedule.Look) {
    guard
      let finding = try? PairedFinding(series, definition, margin: margin, look: look, seed: seed)
    else { return }
    self.finding = finding
    var found =
      finding.isUnchanged
      ? ComparisonVerdict.equivalent
      : ChangeRule.verdict(
        finding.change, margin: finding.scale.margin, direction: definition.direction)
    guard found != .inconclusive else { return }
    if found == .equivalent, isDistributionChanged(finding) {
      found = .inconclusive
      note = "the distribution changed, but its centre did not"
    } else if found != .regressed, let gap {
      // The launches without the metric may have become worse.
      found = .inconclusive
      note = gap
    }
    verdict = found
    decidedAt = look.pairs
  }

  private func isDistributionChanged(_ finding: PairedFinding) -> Bool {
    let (scale, margin) = (finding.scale.scale, finding.scale.margin)
    let launches = series.launches.map { pair in
      (base: pair.base.map(scale.position), candidate: pair.candidate.map(scale.position))
    }
    let p = DistributionChange.p(
      launches, tolerance: scale == .ratio ? log1p(margin) : margin, seed: seed)
    return p <= DistributionChange.level
  }

  /// The missing and impossible values, in words; nil if there are none.
  private var gap: String? {
    let sides = [
      ("base", series.lost.base, series.impossible.base),
      ("candidate", series.lost.candidate, series.impossible.candidate),
    ]
    var gaps: [String] = []
    for (side, lost, impossible) in sides where lost > 0 {
      if series.count == 0, impossible == 0 {
        gaps.append("no values in the \(side)")
      } else if lost > impossible {
        let pairs = lost - impossible
        gaps.append("missing in \(pairs) \(pairs == 1 ? "pair" : "pairs") of the \(side)")
      }
      if impossible > 0 {
        gaps.append(
          "\(impossible) \(impossible == 1 ? "pair" : "pairs") of the \(side) with a negative or "
            + "non-finite value")
      }
    }
    return gaps.isEmpty ? nil : gaps.joined(separator: ", ")
  }

  // MARK: - Judgement

  var judgement: MetricJudgement {
    let finding =
      finding ?? (try? PairedFinding(series, definition, margin: margin, look: nil, seed: seed))
    let change = finding?.change
    let interval = verdict == .equivalent ? change?.plain : change?.decisive
    let medians = finding?.medians
    let comparison = MetricComparison(
      definition: finding.map { definition.compared(by: $0.scale.scale) } ?? definition,
      base: medians?.base, candidate: medians?.candidate,
      ratio: medians.flatMap { $0.base > 0 ? $0.candidate / $0.base : nil },
      estimate: change?.estimate, low: interval?.lowerBound, high: interval?.upperBound,
      p: finding?.p, n: (series.count, series.count), margin: finding?.scale.margin,
      isGating: isGating, verdict: verdict ?? .inconclusive, decidedAt: decidedAt,
      pairsNeeded: verdict == nil || decidedAt == nil ? forecast : nil, failures: series.failed,
      paceShare: finding?.paceShare, note: notes(finding))
    return MetricJudgement(
      comparison: comparison, verdict: verdict, lost: series.lost, gap: gap)
  }

  private func notes(_ finding: PairedFinding?) -> String {
    var notes = [note].filter { !$0.isEmpty }
    if let finding, definition.scale == .ratio, finding.scale.scale == .difference {
      notes.append(ChangeRule.differenceNote)
    }
    if let gap, gap != note { notes.append(gap) }
    guard decidedAt == nil, series.count > 0 else { return notes.joined(separator: "; ") }
    if looksPassed == 0 {
      notes.append(
        "the first look needs \(schedule.looks[0].pairs) pairs, the metric has \(series.count)")
    } else if definition.direction == .neutral {
      notes.append(ChangeRule.neutralNote)
    } else if let finding {
      notes.append(Self.reason(finding))
    }
    return notes.joined(separator: "; ")
  }

  private static func reason(_ finding: PairedFinding) -> String {
    let (change, margin) = (finding.change, finding.scale.margin)
    if margin == 0 { return "no margin, because the base is zero: set an absolute margin" }
    let isChange = change.decisive?.contains(0) == false
    if isChange, change.estimate.magnitude < margin {
      return "changed, but possibly by less than the margin"
    }
    return "the interval contains both zero and the margin"
  }

  /// The estimated number of further pairs for a decision.
  private var forecast: Int? {
    if looksPassed == 0 { return verdict == nil ? schedule.looks[0].pairs - series.count : nil }
    guard let finding, definition.direction != .neutral,
      let total = Forecast.pairs(finding.change, margin: finding.scale.margin, now: looked)
    else { return nil }
    let look = schedule.looks.first { Double($0.pairs) >= total }?.pairs
    let further = (look ?? Int(total.rounded(.up))) - series.count
    return max(further, nextLook.map { $0 - series.count } ?? 1)
  }

  /// The number of pairs at the last look.
  private var looked: Int { schedule.looks[looksPassed - 1].pairs }
}
