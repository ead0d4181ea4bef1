internal import PerfModel

/// The sequential judge of one metric.
struct MetricJudge {
  let definition: MetricDefinition
  let isGating: Bool
  let schedule: LookSchedule
  private let margin: Scenario.Margin
  private var series: PairSeries
  private var looksPassed = 0
  /// The change at the last look.
  private var finding: PairedFinding?
  /// The change of the distribution that decided, with the change of the mean.
  private var mode: (change: LaunchDistribution.Change, mean: ChangeRule.Change)?
  /// What all launches left open at the last look, and their mean; nil if the centre was open.
  private var doubt: (kind: LaunchDistribution.Doubt, mean: ChangeRule.Change)?
  /// The largest change for the worse at the last look, of the centre and the mean of all launches.
  private var worst: Double?
  private var verdict: ComparisonVerdict?
  private var decidedAt: Int?
  private var note = ""

  init(
    _ definition: MetricDefinition, margin: Scenario.Margin, isGating: Bool,
    schedule: LookSchedule, launchesPerPair: Int, layouts: Int
  ) {
    self.definition = definition
    self.margin = margin
    self.isGating = isGating
    self.schedule = schedule
    series = PairSeries(definition, launchesPerPair: launchesPerPair, layouts: layouts)
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
    guard let finding = try? PairedFinding(series, definition, margin: margin, look: look) else {
      return
    }
    self.finding = finding
    doubt = nil
    var found =
      finding.isUnchanged
      ? ComparisonVerdict.equivalent
      : ChangeRule.verdict(
        finding.change, margin: finding.scale.margin, direction: definition.direction)
    let all = finding.distribution(definition.direction)
    let mean = all.roughMean(look)
    // Fewer launches may miss a slow mode.
    worst = all.hasEnoughLaunches ? worst(finding.change, mean) : nil
    if definition.direction != .neutral, found != .regressed,
      let change = all.change(error: look.distributionError), change.isWorse || found != .improved
    {
      found = change.isWorse ? .regressed : .improved
      mode = (change, all.mean(look))
      note = Self.note(change.slow, definition.compared(by: finding.scale.scale))
    } else if found == .improved, all.isMeanWorse {
      found = .inconclusive
      doubt = (.worseMean, mean)
    } else if found == .equivalent, let kind = all.doubt(error: look.equivalenceError) {
      found = .inconclusive
      doubt = (kind, mean)
    }
    guard found != .inconclusive else { return }
    if found != .regressed, let gap {
      // The launches without the metric may have become worse.
      found = .inconclusive
      note = gap
      mode = nil
    }
    verdict = found
    decidedAt = look.pairs
  }

  /// Returns the largest change for the worse within the intervals of equivalence.
  private func worst(_ changes: ChangeRule.Change...) -> Double? {
    guard definition.direction != .neutral else { return nil }
    let ends = changes.compactMap(\.plain).map {
      definition.direction == .higher ? -$0.lowerBound : $0.upperBound
    }
    return ends.count == changes.count ? ends.max() : nil
  }

  private static func note(_ slow: SlowLaunches, _ definition: MetricDefinition) -> String {
    "the distribution changed: \(slow.shares) of the launches are in the slow mode, "
      + "\(definition.size(of: slow.beyond)) or more from the best launch of their pair"
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
      finding ?? (try? PairedFinding(series, definition, margin: margin, look: nil))
    let change = mode?.mean ?? finding?.change
    let interval = verdict == .equivalent ? change?.plain : change?.decisive
    let sides = finding.map { finding in
      mode == nil
        ? finding.medians
        : finding.distribution(definition.direction).means
    }
    let comparison = MetricComparison(
      definition: finding.map { definition.compared(by: $0.scale.scale) } ?? definition,
      base: sides?.base, candidate: sides?.candidate,
      ratio: sides.flatMap { $0.base > 0 ? $0.candidate / $0.base : nil },
      estimate: change?.estimate, low: interval?.lowerBound, high: interval?.upperBound,
      p: mode?.change.p ?? finding?.p, n: (series.count, series.count),
      worst: verdict == .inconclusive || verdict == nil ? worst : nil,
      margin: finding?.scale.margin, isGating: isGating, verdict: verdict ?? .inconclusive,
      decidedAt: decidedAt, pairsNeeded: verdict == nil || decidedAt == nil ? forecast : nil,
      failures: series.failed, paceShare: finding?.blocks.paceShare, layout: finding?.layout,
      slowLaunches: mode?.change.slow, note: notes(finding))
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
    } else if let doubt {
      notes.append(reason(doubt))
    } else if let finding {
      notes.append(Self.reason(finding))
    }
    // More pairs of the same layouts reduce the smaller part of the variance.
    if let share = finding?.variance?.fixedShare, share > 0.5 {
      notes.append("more layouts would narrow the interval, more pairs hardly")
    }
    return notes.joined(separator: "; ")
  }

  private func reason(
    _ doubt: (kind: LaunchDistribution.Doubt, mean: ChangeRule.Change)
  ) -> String {
    switch doubt.kind {
    case .worseMean: "the centre improved, the mean of all launches became worse"
    case .upperQuantile: "the centre and the mean are equivalent, the slowest launches may not be"
    case .fewLaunches:
      "equivalent so far, but fewer than \(LaunchDistribution.leastLaunches) launches may miss "
        + "a slow mode"
    case .mean:
      "the centre is equivalent, the mean of all launches may not be"
        + (range(of: doubt.mean) ?? "")
    }
  }

  /// Returns the interval of a change in parentheses, after a space.
  private func range(of change: ChangeRule.Change) -> String? {
    let compared = finding.map { definition.compared(by: $0.scale.scale) } ?? definition
    return change.plain.map { range in
      let ends = [range.lowerBound, range.upperBound].map { change in
        (change < 0 ? "-" : "+") + compared.size(of: change)
      }
      return " (about \(ends[0]) to \(ends[1]))"
    }
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
    guard let finding, definition.direction != .neutral else { return nil }
    let total: Double? =
      switch doubt?.kind {
      case .upperQuantile, .worseMean: Double(looked) + 1
      case .fewLaunches:
        Double(LaunchDistribution.leastLaunches) / Double(series.launchesPerPair)
      case .mean, nil:
        Forecast.pairs(
          doubt?.mean ?? finding.change, margin: finding.scale.margin, now: looked,
          fixedShare: finding.variance?.fixedShare ?? 0)
      }
    guard let total else { return nil }
    let look = schedule.looks.first { Double($0.pairs) >= total }?.pairs
    let further = (look ?? Int(total.rounded(.up))) - series.count
    return max(further, nextLook.map { $0 - series.count } ?? 1)
  }

  /// The number of pairs at the last look.
  private var looked: Int { schedule.looks[looksPassed - 1].pairs }
}
