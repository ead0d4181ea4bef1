internal import PerfStatistics

/// The end of a comparison whose metrics stay undecided: a number of pairs, a time, or both.
///
/// Without any limit a comparison ends after a minute or after the first looks, whichever is later, or
/// at the first look if the counted work decides it.
struct PairLimit {
  /// The most pairs, earlier sessions included.
  var mostPairs: Int
  /// The pairs that are measured even if the time is over; none with a limit of the user's time.
  private let leastPairs: Int
  /// Whether decided work ends the comparison at the first look.
  let isEndedByWork: Bool
  /// The time from the beginning; nil for no limit.
  private let time: Duration?
  private let clock: MeasuringClock
  private let began: Duration

  /// Begins a comparison; without a share the time of the whole invocation counts.
  init(_ settings: PairingSettings, _ measuring: Measuring, share: Duration?) {
    let given = share ?? measuring.timeLeft
    let isUsual = settings.maxPairs == nil && given == nil
    isEndedByWork = isUsual && !settings.waitsForTime
    mostPairs = settings.maxPairs ?? LookSchedule.mostPairs
    leastPairs = isUsual ? max(LookSchedule.usualPairs, settings.minPairs) : 0
    time = isUsual ? PairingSettings.usualTime : given
    clock = measuring.clock
    began = clock.elapsed
  }

  private var timeLeft: Duration? { time.map { $0 - (clock.elapsed - began) } }

  var isTimeOver: Bool { timeLeft.map { $0 < .zero } ?? false }

  /// Returns whether no further pair begins because the time is over.
  func isOver(after pairs: Int) -> Bool { pairs >= leastPairs && isTimeOver }

  /// Returns the most pairs that can still be measured if each takes this many nanoseconds.
  func pairsLeft(after pairs: Int, timePerPair: UInt64) -> Int {
    guard let timeLeft, timePerPair > 0 else { return mostPairs - pairs }
    let inTime = Int(min(max(timeLeft / .nanoseconds(Int64(timePerPair)), 0), 1e6)) + 1
    return min(mostPairs - pairs, max(leastPairs - pairs, inTime))
  }
}
