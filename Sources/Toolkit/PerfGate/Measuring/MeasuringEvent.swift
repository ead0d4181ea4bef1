internal import PerfModel
public import PerfRunner
public import PerfStatistics

/// The progress of a measurement, for a display.
public enum MeasuringEvent {
  /// A line for the log.
  case note(String)
  /// A line that the next one replaces.
  case status(String)
  /// The measurement of a scenario and variant begins; several runs take turns. No launch starts after the time
  /// left, which is nil without a limit.
  case begin(title: String, runs: Int = 1, timeLeft: Duration? = nil)
  /// The next events are those of another run, which takes turns with the one before.
  case turn(title: String)
  /// An event of a run.
  case run(RunEvent)
  /// An event of one side of a comparison.
  case side(PairRunner.Side, RunEvent)
  /// The state of a comparison before the first pair and after each one.
  case pair(PairState)
  /// The last pair of a comparison is complete.
  case pairsEnded
}

/// The state of a comparison while its pairs are measured.
public struct PairState {
  /// The verdicts on the gating metrics so far.
  public let judge: SequentialJudge
  /// The launches of this session.
  public let session: PairRunner.Progress
  /// The number of pairs that are measured even if every metric is decided earlier.
  public let minPairs: Int
  /// The most pairs, as far as the time of a pair is known.
  public let maxPairs: Int
  /// Whether the work is counted, which can give a verdict without the time.
  public let countsWork: Bool

  /// The metrics that gate.
  public var gating: [MetricJudgement] { judge.judgements }

  /// The number of gating metrics with a verdict other than inconclusive.
  public var decided: Int {
    gating.count { $0.verdict.map { $0 != .inconclusive } ?? false }
  }
}
