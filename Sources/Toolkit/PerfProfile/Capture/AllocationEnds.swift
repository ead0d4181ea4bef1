internal import CPerfFormat

/// When sampled allocations were given back.
struct AllocationEnds: Hashable, Sendable {
  /// Ends that are kept: of 2 TiB that come and go, with 512 KiB from one to the next.
  private static let most = 1 << 22

  private var times: [UInt64: UInt64] = [:]
  /// By ascending allocations: one that ends no more than those before it is never the first that does.
  private var replacements: [Replacement] = []
  /// Ends that there was no room for.
  private(set) var lost = 0

  /// The process has gone on with another program, whose heap is a new one.
  private struct Replacement: Hashable {
    let last: UInt64
    let time: UInt64
  }

  init() {}

  /// Creates ends by the allocations' numbers.
  init(_ times: [UInt64: UInt64]) {
    self.times = times
  }

  /// Notes what a record says.
  mutating func add(_ end: perfkit_free) {
    guard times.count + replacements.count < Self.most else {
      lost += 1
      return
    }
    if UInt32(end.record.flags) & PERFKIT_FREE_ALL.rawValue != 0 {
      if replacements.last.map({ $0.last < end.allocation }) ?? true {
        replacements.append(Replacement(last: end.allocation, time: end.record.time_ns))
      }
    } else {
      times[end.allocation] = end.record.time_ns
    }
  }

  /// When an allocation ended; nil while it is live.
  ///
  /// - Complexity: O(log *n*) in the programs that the process has gone on with.
  func time(of number: UInt64) -> UInt64? {
    if let time = times[number] { return time }
    let before = lastIndex(of: replacements.indices) { replacements[$0].last < number }
    let place = before.map { $0 + 1 } ?? 0
    return replacements.indices.contains(place) ? replacements[place].time : nil
  }
}
