internal import Glibc
internal import PerfModel

/// What the recorded allocations of a launch stand for.
///
/// Every byte that is allocated has the same chance to be recorded, 1 in `interval`, so one of *b*
/// bytes is recorded with probability 1 - exp(-*b* / interval), and stands for *b* divided by that.
/// The sum is then scaled to what was counted.
///
/// The largest of many estimates is too large: of twenty peaks of 40 MB, each estimated to within 4.6 MB,
/// the highest reads as 49 MB. So the recorded bytes are dealt out to two halves, as if each had been recorded
/// by itself, with twice the interval; the one says when the peak was, and the other how high.
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

  /// When an allocation was made and freed; nil for one that was not.
  private typealias Life = (began: UInt64, ended: UInt64?)

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
    let sizes = allocations.map { $0.allocation?.bytes ?? 0 }
    let weights = Self.scaled(sizes.map { Self.weight(of: $0, interval) }, to: bytes)
    let lives: [Life] = allocations.map { sample in
      (
        sample.time,
        sample.allocation.flatMap { capture.allocationEnds.time(of: $0.number) }
      )
    }
    let peak = Self.peak(lives, weights)
    let part = peak.map { peak in
      Self.partOfPeak(
        at: peak, until: end, lives, weights, halves: Self.halves(allocations, interval, bytes))
    }
    for (place, weight) in weights.enumerated() {
      shares.append(Share(place: place, state: .allocated, weight: weight))
      if let peak, let part, Self.isLive(lives[place], at: peak) {
        shares.append(Share(place: place, state: .livePeak, weight: weight * part))
      }
      if Self.isLive(lives[place], at: end) {
        shares.append(Share(place: place, state: .liveEnd, weight: weight))
      }
    }
  }

  private static func weight(of bytes: UInt64, _ interval: Double) -> Double {
    guard bytes > 0, interval > 0 else { return Double(bytes) }
    return Double(bytes) / chance(of: bytes, interval)
  }

  /// The probability that some of so many bytes are recorded.
  private static func chance(of bytes: UInt64, _ interval: Double) -> Double {
    -expm1(-Double(bytes) / interval)
  }

  private static func scaled(_ weights: [Double], to bytes: Double?) -> [Double] {
    let sum = weights.reduce(0, +)
    guard let bytes, sum > 0 else { return weights }
    return weights.map { $0 * bytes / sum }
  }

  private static func isLive(_ life: Life, at moment: UInt64) -> Bool {
    life.began <= moment && !(life.ended.map { $0 <= moment } ?? false)
  }

  private static func live(
    at moment: UInt64?, _ lives: [Life], _ weights: [Double]
  ) -> Double {
    guard let moment else { return 0 }
    return zip(lives, weights).reduce(0) { $0 + (isLive($1.0, at: moment) ? $1.1 : 0) }
  }

  // MARK: - The peak

  /// The moment at which most bytes were live; nil without allocations.
  private static func peak(_ lives: [Life], _ weights: [Double]) -> UInt64? {
    var changes: [(time: UInt64, isBegin: Bool, weight: Double)] = []
    for (life, weight) in zip(lives, weights) {
      changes.append((life.began, true, weight))
      if let ended = life.ended { changes.append((max(life.began, ended), false, -weight)) }
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

  /// What the bytes that were live at the highest estimate are to be multiplied by to stand for the peak.
  private static func partOfPeak(
    at peak: UInt64, until end: UInt64, _ lives: [Life], _ weights: [Double],
    halves: (first: [Double], second: [Double])
  ) -> Double {
    let highest = live(at: peak, lives, weights)
    let byFirst = live(at: Self.peak(lives, halves.first), lives, halves.second)
    let bySecond = live(at: Self.peak(lives, halves.second), lives, halves.first)
    // What is left at the end was there.
    let height = max((byFirst + bySecond) / 2, live(at: end, lives, weights))
    return highest > 0 ? height / highest : 1
  }

  /// Deals the allocations out to two halves, and returns what each stands for in either: 0 where it is
  /// not in it.
  ///
  /// The bytes that are met are a Poisson process; each is in the one half or in the other, so that those of
  /// a half are one of half the rate, and independent of the other's. Of *b* bytes some are in a half
  /// with probability *q* = 1 - exp(-*b* / (2 interval)), and of those that are recorded, in both with
  /// probability *q*^2 / *p* and in one alone with *q* (1 - *q*) / *p* each.
  private static func halves(
    _ allocations: [WalkedSample], _ interval: Double, _ bytes: Double?
  ) -> (first: [Double], second: [Double]) {
    var halves: (first: [Double], second: [Double]) = ([], [])
    for sample in allocations {
      let size = sample.allocation?.bytes ?? 0
      let weight = weight(of: size, 2 * interval)
      var (isFirst, isSecond) = (true, true)
      if size > 0, interval > 0 {
        let part = chance(of: size, 2 * interval)
        let alone = part * (1 - part) / chance(of: size, interval)
        let drawn = uniform(sample.allocation?.number ?? 0)
        isSecond = drawn >= alone
        isFirst = drawn < alone || drawn >= 2 * alone
      }
      halves.first.append(isFirst ? weight : 0)
      halves.second.append(isSecond ? weight : 0)
    }
    return (scaled(halves.first, to: bytes), scaled(halves.second, to: bytes))
  }

  /// Returns the number in 0..<1 that SplitMix64 derives from `number`.
  private static func uniform(_ number: UInt64) -> Double {
    var generator = SeededGenerator(seed: (number &- 1) &* 0x9E37_79B9_7F4A_7C15)
    return generator.nextUniform()
  }
}
