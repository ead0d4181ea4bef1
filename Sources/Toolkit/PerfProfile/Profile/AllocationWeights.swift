internal import Glibc
internal import PerfModel

/// The weights of a launch's sampled allocations.
///
/// Every allocated byte is sampled with the same chance, 1 in `interval`. An allocation of *b*
/// bytes is therefore sampled with probability 1 - exp(-*b* / interval), and its weight is *b*
/// divided by that. The sum is then scaled to the counted bytes.
///
/// The number of allocations that a sampled one represents is 1 divided by its probability (Horvitz and
/// Thompson 1952, doi:10.1080/01621459.1952.10483446). Numbers are not scaled to the counted
/// allocations: a sample of 16 bytes represents thousands of them, so that a launch without such a
/// sample would charge all small allocations to the functions of the large ones.
///
/// The maximum of many estimates is biased upwards: of twenty peaks of 40 MB, each estimated to
/// within 4.6 MB, the highest reads as 49 MB. So the sampled bytes are split into two halves, as if
/// each had been sampled separately with twice the interval. One half determines when the peak was,
/// the other one its height.
struct AllocationWeights {
  /// A weighted part of a launch's memory.
  struct Share {
    /// The index of the allocation in the given samples.
    let place: Int
    /// The kind of memory: allocated, live at the peak or live at the end; or `allocations`.
    let state: Profile.State
    /// The weight in bytes; for `allocations` the number of allocations.
    let weight: Double
  }

  /// The shares of allocations, of allocated memory, and of live memory at the peak and at the end.
  private(set) var shares: [Share] = []

  /// The times of an allocation and of its free; nil if it was not freed.
  private typealias Life = (began: UInt64, ended: UInt64?)

  /// Weighs the allocations of one capture.
  ///
  /// - Parameters:
  ///   - allocations: The allocations of the measured phase.
  ///   - capture: The capture.
  ///   - end: The end of the measured phase.
  ///   - bytes: The bytes counted in the measured phase; nil if unknown.
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
      shares.append(
        Share(place: place, state: .allocations, weight: Self.number(of: sizes[place], interval)))
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

  /// Returns the number of allocations of a size that a sampled one represents.
  private static func number(of bytes: UInt64, _ interval: Double) -> Double {
    bytes > 0 && interval > 0 ? 1 / chance(of: bytes, interval) : 1
  }

  /// Returns the probability that an allocation is sampled.
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

  /// Returns the time at which most bytes were live; nil without allocations.
  private static func peak(_ lives: [Life], _ weights: [Double]) -> UInt64? {
    var changes: [(time: UInt64, isBegin: Bool, weight: Double)] = []
    for (life, weight) in zip(lives, weights) {
      changes.append((life.began, true, weight))
      if let ended = life.ended { changes.append((max(life.began, ended), false, -weight)) }
    }
    // At equal times allocations come first, because an allocation may be freed at once.
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

  /// Returns the factor by which the bytes that were live at the estimated peak must be multiplied.
  private static func partOfPeak(
    at peak: UInt64, until end: UInt64, _ lives: [Life], _ weights: [Double],
    halves: (first: [Double], second: [Double])
  ) -> Double {
    let highest = live(at: peak, lives, weights)
    let byFirst = live(at: Self.peak(lives, halves.first), lives, halves.second)
    let bySecond = live(at: Self.peak(lives, halves.second), lives, halves.first)
    // Memory that is live at the end is a lower bound of the peak.
    let height = max((byFirst + bySecond) / 2, live(at: end, lives, weights))
    return highest > 0 ? height / highest : 1
  }

  /// Splits the allocations into two halves and returns their weights in each; 0 if an allocation
  /// is not in it.
  ///
  /// The sampled bytes are a Poisson process. Each byte is in one half, so a half has half the rate
  /// and is independent of the other one. Some of *b* bytes are in a half with probability *q* = 1
  /// - exp(-*b* / (2 interval)). A sampled allocation is in both halves with probability *q*^2 /
  /// *p*, and in one only with *q* (1 - *q*) / *p* each.
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

  /// Returns a number from 0 to 1 that depends only on the given number, so results are
  /// reproducible.
  ///
  /// Source: splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
  private static func uniform(_ number: UInt64) -> Double {
    var generator = SeededGenerator(seed: (number &- 1) &* 0x9E37_79B9_7F4A_7C15)
    return generator.nextUniform()
  }
}
