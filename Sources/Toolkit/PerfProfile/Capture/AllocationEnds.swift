internal import CPerfFormat
internal import PerfModel

/// The times at which sampled allocations were freed.
struct AllocationEnds: Hashable, Sendable {
  /// The largest number of kept ends: enough for 2 TiB of allocations at one sample per 512 KiB.
  private static let most = 1 << 22

  /// The times by allocation number.
  var times: [UInt64: UInt64] = [:]
  /// Sorted by their last allocation; a record that adds no allocation is never the first that
  /// applies.
  private var replacements: [Replacement] = []
  /// Ends that were dropped for lack of room.
  private(set) var lost = 0

  /// The execution of another program, which frees all allocations of the previous one.
  private struct Replacement: Hashable {
    let last: UInt64
    let time: UInt64
  }

  /// Adds a record.
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

  /// Returns when an allocation was freed; nil while it is live.
  ///
  /// - Complexity: O(log *n*) in the programs that the process has executed.
  func time(of number: UInt64) -> UInt64? {
    if let time = times[number] { return time }
    let before = lastIndex(of: replacements.indices) { replacements[$0].last < number }
    let place = before.map { $0 + 1 } ?? 0
    return replacements.indices.contains(place) ? replacements[place].time : nil
  }
}
