internal import Glibc
internal import PerfModel

/// What the recorded allocations of a launch stand for.
///
/// Every byte that is allocated has the same chance to be recorded, 1 in `interval`, so one of *b*
/// bytes is recorded with probability 1 - exp(-*b* / interval), and stands for *b* divided by that.
/// The sum is then scaled to what was counted.
struct AllocationWeights {
  /// A part of a launch's memory.
  struct Share {
    /// The place of the allocation among those that were given.
    let place: Int
    /// What it is a part of.
    let state: Profile.State
    /// Bytes.
    let weight: Double
  }

  /// All that was allocated, what was live at the peak, and what at the end.
  private(set) var shares: [Share] = []

  /// Weighs the allocations of one capture.
  ///
  /// - Parameters:
  ///   - allocations: Those of the measured phase.
  ///   - capture: What the launch left behind.
  ///   - end: The end of the measured phase.
  ///   - bytes: What was counted in the measured phase; nil when that is not known.
  /// - Complexity: O(*n* log *n*).
  init(
    _ allocations: [WalkedSample], of capture: Capture, until end: UInt64, bytes: Double?
  ) {
    let interval = Double(capture.allocationInterval)
    var weights = allocations.map { Self.weight(of: $0.allocation?.bytes ?? 0, interval) }
    let sum = weights.reduce(0, +)
    if let bytes, sum > 0 { weights = weights.map { $0 * bytes / sum } }
    let ends = allocations.map {
      $0.allocation.flatMap { capture.allocationEnds.time(of: $0.number) }
    }
    let peak = Self.peak(zip(allocations.map(\.time), ends), weights)
    for (place, weight) in weights.enumerated() {
      shares.append(Share(place: place, state: .allocated, weight: weight))
      let isFreed = { (moment: UInt64) in ends[place].map { $0 <= moment } ?? false }
      if let peak, allocations[place].time <= peak, !isFreed(peak) {
        shares.append(Share(place: place, state: .livePeak, weight: weight))
      }
      if !isFreed(end) {
        shares.append(Share(place: place, state: .liveEnd, weight: weight))
      }
    }
  }

  private static func weight(of bytes: UInt64, _ interval: Double) -> Double {
    guard bytes > 0, interval > 0 else { return Double(bytes) }
    return Double(bytes) / -expm1(-Double(bytes) / interval)
  }

  /// The moment at which most bytes were live; nil without allocations.
  private static func peak(
    _ lives: some Sequence<(UInt64, UInt64?)>, _ weights: [Double]
  ) -> UInt64? {
    var changes: [(time: UInt64, isBegin: Bool, weight: Double)] = []
    for ((began, ended), weight) in zip(lives, weights) {
      changes.append((began, true, weight))
      if let ended { changes.append((max(began, ended), false, -weight)) }
    }
    // Of one moment the begins count first: a life may begin and end in it.
    changes.sort { ($0.time, $0.isBegin ? 0 : 1) < ($1.time, $1.isBegin ? 0 : 1) }
    var live = 0.0
    var most = 0.0
    var peak: UInt64?
    for change in changes {
      live += change.weight
      if live > most { (most, peak) = (live, change.time) }
    }
    return peak
  }
}
