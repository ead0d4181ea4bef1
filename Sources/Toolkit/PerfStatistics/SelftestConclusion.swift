internal import PerfModel

/// The conclusion of a selftest: whether the gate keeps its error rates on this machine.
public enum SelftestConclusion: Hashable, Sendable {
  /// No comparison contradicts the promised rates.
  case kept
  /// The gate does not keep the rates, for these reasons.
  case broken([String])
  /// There are too few comparisons for a conclusion; the reason is text.
  case tooFew(String)

  /// Judges a selftest.
  ///
  /// The gate fails if the 95 % interval excludes a false alarm rate of at most
  /// `RunComparer.alpha`, or a detection rate of at least `SelftestRecord.power` for memory or
  /// frames, or if not even the largest change of CPU time is found.
  init(_ record: SelftestRecord) {
    let findings = record.findings
    let same = findings.first { $0.change == .nothing }?.comparisons ?? 0
    let least = SelftestRecord.least
    let later = record.smallest.map { record.counting(for: $0).count } ?? 0
    let hasSurvey = record.trials.count >= SelftestRecord.survey.count
    guard hasSurvey, same >= least.same, record.smallest == nil || later >= least.smallest else {
      let count = record.trials.count
      self = .tooFew(
        count == 1
          ? "1 comparison is too few"
          : "\(count) comparisons, \(same) of them without a change, are too few")
      return
    }
    var reasons: [String] = []
    for finding in findings {
      guard
        let share = try? Proportion.estimate(
          events: finding.told, trials: finding.comparisons)
      else { continue }
      let count = "\(finding.told) of \(finding.comparisons)"
      switch finding.change.kind {
      case .nothing where (share.low ?? 0) > RunComparer.alpha:
        reasons.append("\(count) comparisons without a change raised a false alarm")
      case .memory where (share.high ?? 1) < SelftestRecord.power,
        .frames where (share.high ?? 1) < SelftestRecord.power:
        reasons.append("\(finding.change) was found in only \(count) comparisons")
      default: break
      }
    }
    if record.smallest == nil {
      let largest = InjectedChange.cpuTimes[InjectedChange.cpuTimes.count - 1]
      let power = NumberFormat.human(SelftestRecord.power, .ratio)
      reasons.append("even \(largest) was found in fewer than \(power) of the comparisons")
    }
    self = reasons.isEmpty ? .kept : .broken(reasons)
  }

  /// Returns the smallest number *n* of comparisons without a miss that shows a detection rate at
  /// 95 %: `share`^*n* <= 0.05.
  public static func comparisonsNeeded(toShow share: Double) -> Int {
    var (count, chance) = (0, 1.0)
    while chance > 0.05 {
      chance *= share
      count += 1
    }
    return count
  }
}
