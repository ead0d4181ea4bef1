public import PerfModel

extension Comparison {
  /// The p-value up to which an undecided time that rose by its margin stays undecided although the
  /// work did not change.
  static let suspicion = 0.01
  /// The number of margins below which the largest possible rise of a time must be for the work to
  /// settle it.
  static let settledMargins = 3.0

  /// The verdict on time and work together.
  ///
  /// - A void comparison stays void.
  /// - *Regressed* if the time or the work regressed.
  /// - Undecided work, as of a nondeterministic program, leaves the verdict to the time.
  /// - Decided work settles undecided times, and no other undecided metric: memory, counters and
  ///   hitches may change without more instructions. As a program may wait longer without more work,
  ///   a time stays undecided if it may have risen by three margins, or probably rose by one.
  public var combined: ComparisonVerdict {
    guard let work, verdict != .void, work.verdict != .inconclusive else { return verdict }
    if work.isAlone { return work.verdict }
    guard verdict == .inconclusive, work.verdict != .regressed else {
      return Verdicts.together([verdict, work.verdict])
    }
    let codes = [PairedComparer.controlUnknown, GatingMetrics.missingCode]
    let gating = metrics.filter(\.isGating)
    guard !warnings.contains(where: { codes.contains($0.code) }),
      work.settles(gating)
    else { return .inconclusive }
    let decided = gating.map(\.verdict).filter { $0 != .inconclusive }
    return Verdicts.together(decided + [work.verdict])
  }
}

extension WorkComparison {
  /// Whether the work decides the verdict on both together, although gating times are undecided.
  public func settles(_ gating: some Sequence<MetricComparison>) -> Bool {
    switch verdict {
    case .inconclusive, .void: false
    case .regressed: true
    case .improved, .equivalent:
      gating.allSatisfy { $0.verdict != .inconclusive || $0.isSettledByWork }
    }
  }
}

extension MetricComparison {
  /// Whether unchanged work replaces the missing verdict on a metric.
  fileprivate var isSettledByWork: Bool {
    guard definition.dimension == .time, failures == 0, let margin, let worst,
      worst < Comparison.settledMargins * margin
    else { return false }
    let worse = definition.direction == .higher ? -(estimate ?? 0) : estimate ?? 0
    return (p ?? 1) > Comparison.suspicion || worse < margin
  }
}
