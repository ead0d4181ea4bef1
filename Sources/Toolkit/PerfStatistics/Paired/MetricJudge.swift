internal import Glibc
internal import PerfModel

/// Judges one metric, pair after pair.
struct MetricJudge {
  let definition: MetricDefinition
  let isGating: Bool
  let schedule: LookSchedule
  private let margin: Scenario.Margin
  private let seed: UInt64
  private var series: PairSeries
  private var looksPassed = 0
  /// What the last look showed.
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
    // The same whatever other metrics there are.
    self.seed = definition.name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    series = PairSeries(definition, launchesPerPair: launchesPerPair)
  }

  /// The number of complete pairs at the next look; nil when it is decided or there is none.
  var nextLook: Int? {
    verdict == nil && looksPassed < schedule.looks.count
      ? schedule.looks[looksPassed].pairs : nil
  }

  /// How many more pairs there must be until the next look; nil when it is decided.
  var pairsToNextLook: Int? { nextLook.map { $0 - series.count } }

  mutating func add(_ pair: LaunchPair) {
    // What was decided stays as it was seen: later pairs belong to other metrics.
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
      note = "the distribution changed, though its middle did not"
    } else if found != .regressed, let gap {
      // The launches that lack it may be the ones that became worse.
      found = .inconclusive
      note = gap
    }
    verdict = found
    decidedAt = look.pairs
  }

  private func isDistributionChanged(_ finding: PairedFinding) -> Bool {
    let isRatio = finding.scale.scale == .ratio
    let margin = finding.scale.margin
    let launches = series.launches.map { pair in
      isRatio
        ? (base: pair.base.map { log($0) }, candidate: pair.candidate.map { log($0) }) : pair
    }
    let p = DistributionChange.p(
      launches, tolerance: isRatio ? log1p(margin) : margin, seed: seed)
    return p <= DistributionChange.level
  }

  /// Says of how many pairs it is missing, or has values that it cannot have, or nil.
  private var gap: String? {
    let sides = [
      ("base", series.lost.base, series.impossible.base),
      ("candidate", series.lost.candidate, series.impossible.candidate),
    ]
    var gaps: [String] = []
    for (side, lost, impossible) in sides where lost > 0 {
      if series.count == 0, impossible == 0 {
        gaps.append("the \(side) has no values of it")
      } else if lost > impossible {
        gaps.append(MetricGap.pairs(lost - impossible, side: side))
      }
      if impossible > 0 {
        gaps.append(
          "\(impossible) \(impossible == 1 ? "pair has" : "pairs have") a negative value or no number "
            + "in the \(side)")
      }
    }
    return gaps.isEmpty ? nil : gaps.joined(separator: ", ")
  }

  // MARK: - What can be said

  var judgement: MetricJudgement {
    let finding =
      finding ?? (try? PairedFinding(series, definition, margin: margin, look: nil, seed: seed))
    let change = finding?.change
    let interval = verdict == .equivalent ? change?.plain : change?.decisive
    let needed = verdict == nil || decidedAt == nil ? forecast : nil
    return MetricJudgement(
      definition: finding.map { definition.compared(by: $0.scale.scale) } ?? definition,
      isGating: isGating, verdict: verdict, decidedAt: decidedAt, pairs: series.count,
      lost: .init(base: series.lost.base, candidate: series.lost.candidate),
      failed: series.failed,
      medians: finding.map { .init(base: $0.medians.base, candidate: $0.medians.candidate) },
      estimate: change?.estimate, interval: interval, p: finding?.p,
      margin: finding?.scale.margin, paceShare: finding?.paceShare, pairsNeeded: needed,
      gap: gap, note: notes(finding))
  }

  private func notes(_ finding: PairedFinding?) -> String {
    var notes = [note].filter { !$0.isEmpty }
    if let finding, definition.scale == .ratio, finding.scale.scale == .difference {
      notes.append("compared by differences")
    }
    if let gap, gap != note { notes.append(gap) }
    guard decidedAt == nil, series.count > 0 else { return notes.joined(separator: "; ") }
    if looksPassed == 0 {
      notes.append(
        "\(series.count) of the \(schedule.looks[0].pairs) pairs that the first look takes")
    } else if definition.direction == .neutral {
      notes.append("neither better low nor high, so it is not judged")
    } else if let finding {
      notes.append(Self.reason(finding))
    }
    return notes.joined(separator: "; ")
  }

  private static func reason(_ finding: PairedFinding) -> String {
    let (change, margin) = (finding.change, finding.scale.margin)
    if margin == 0 { return "no margin: give an absolute one, as the base is zero" }
    let isChange = change.decisive?.contains(0) == false
    if isChange, change.estimate.magnitude < margin {
      return "a change, but whether it is smaller than the margin cannot be told"
    }
    return "the interval holds no change as well as one of the margin"
  }

  /// How many further pairs would probably decide it.
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
