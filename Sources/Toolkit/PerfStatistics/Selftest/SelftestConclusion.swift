internal import PerfModel

/// Whether the gate keeps on a machine what it promises, as far as a selftest can tell.
public enum SelftestConclusion: Hashable, Sendable {
  /// Nothing that was seen speaks against it.
  case kept
  /// It does not; why.
  case broken([String])
  /// There are too few comparisons to say anything.
  case tooFew(String)

  /// Judges a selftest.
  ///
  /// Broken is what the 95 % interval excludes: that false alarms are at most `RunComparer.alpha`,
  /// or that memory and frames are found in `SelftestRecord.power` of the comparisons; and CPU time
  /// of which not even the largest change is found.
  ///
  /// - Parameter record: All comparisons.
  init(_ record: SelftestRecord) {
    let findings = record.findings
    let same = findings.first { $0.change == .nothing }?.comparisons ?? 0
    let least = SelftestRecord.least
    let later = record.smallest.map { record.counting(for: $0).count } ?? 0
    let hasSurvey = record.outcomes.count >= SelftestRecord.survey.count
    guard hasSurvey, same >= least.same, record.smallest == nil || later >= least.smallest else {
      self = .tooFew(
        "\(record.outcomes.count) comparisons, \(same) of them without a change, are too few to say "
          + "anything")
      return
    }
    var reasons: [String] = []
    for finding in findings {
      guard
        let share = try? Proportion.estimate(
          events: finding.told, trials: finding.comparisons)
      else { continue }
      let told = "\(finding.told) of \(finding.comparisons)"
      switch finding.change.kind {
      case .nothing where (share.low ?? 0) > RunComparer.alpha:
        reasons.append("\(told) comparisons without a change were false alarms")
      case .memory where (share.high ?? 1) < SelftestRecord.power,
        .frames where (share.high ?? 1) < SelftestRecord.power:
        reasons.append("\(finding.change) was found in \(told) comparisons")
      default: break
      }
    }
    if record.smallest == nil {
      let largest = InjectedChange.cpuTimes[InjectedChange.cpuTimes.count - 1]
      reasons.append("not even \(largest) is found in \(Self.percent) of the comparisons")
    }
    self = reasons.isEmpty ? .kept : .broken(reasons)
  }

  private static let percent = NumberFormat.human(SelftestRecord.power, .ratio)

  /// Returns how many comparisons without a miss show, at 95 %, that a change is found so often.
  ///
  /// - Parameter share: Strictly between 0 and 1.
  /// - Returns: The least *n* with `share`^*n* <= 0.05.
  public static func comparisonsNeeded(toShow share: Double) -> Int {
    var (count, chance) = (0, 1.0)
    while chance > 0.05 {
      chance *= share
      count += 1
    }
    return count
  }
}
