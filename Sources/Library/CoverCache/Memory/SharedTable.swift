internal import CLinux
internal import Synchronization

/// A table with concurrent look-ups: each thread uses a lane with its own lock.
///
/// A look-up takes the lock of its thread's lane, reads the table and records the found slot in the
/// lane. A change takes the locks of all lanes and first reports their records to the policy. Hits
/// on different threads therefore neither wait for each other nor write to shared memory, and the
/// policy knows every hit before it decides.
///
/// With a single lock, two threads that only look up are together slower than one.
struct SharedTable<Value: Sendable>: ~Copyable, @unchecked Sendable {
  /// The look-ups of one lane since the table last changed.
  private struct Lane {
    var hitCount = 0
    var missCount = 0
    /// The found slots, each once, in the order of the last look-up.
    private var order = SlotLists(1)
    private var times: [Int32] = []

    mutating func found(_ slot: Int) {
      hitCount += 1
      while times.count <= slot { times.append(0) }
      times[slot] &+= 1
      if times[slot] == 1 { order.append(slot, to: 0) } else { order.move(slot, to: 0) }
    }

    mutating func settle(_ policy: inout any EvictionPolicy) {
      while let slot = order.oldest(of: 0) {
        policy.touched(slot, times: Int(times[slot]))
        times[slot] = 0
        order.remove(slot)
      }
    }
  }

  private typealias LockedLane = Mutex<Lane>
  private static var laneCount: Int { 8 }
  /// The distance between lanes: two cache lines, because processors fetch them in pairs.
  private static var laneStride: Int { 128 }

  // Safety: entries are read under the lock of any lane and changed under the locks of all lanes.
  private let lanes: UnsafeMutableRawPointer
  private let entries: UnsafeMutablePointer<SlotTable<Value>>
  private let policy: Mutex<any EvictionPolicy>

  /// Creates an empty table.
  init(limits: TierLimits, policy: any EvictionPolicy) {
    lanes = .allocate(byteCount: Self.laneCount * Self.laneStride, alignment: Self.laneStride)
    for index in 0..<Self.laneCount {
      (lanes + index * Self.laneStride).initializeMemory(as: LockedLane.self, to: Mutex(Lane()))
    }
    entries = .allocate(capacity: 1)
    entries.initialize(to: SlotTable(limits: limits))
    var policy = policy
    policy.limited(to: limits)
    self.policy = Mutex(policy)
  }

  deinit {
    for index in 0..<Self.laneCount { lane(index).deinitialize(count: 1) }
    lanes.deallocate()
    entries.deinitialize(count: 1)
    entries.deallocate()
  }

  /// Returns the value of a key, and counts a hit or a miss.
  func value(for key: String) -> Value? {
    ownLane.pointee.withLock { lane in
      guard let slot = entries.pointee.slot(of: key) else {
        lane.missCount += 1
        return nil
      }
      lane.found(slot)
      return entries.pointee.value(at: slot)
    }
  }

  /// Returns whether a key is present, without counting.
  func contains(_ key: String) -> Bool {
    ownLane.pointee.withLock { _ in entries.pointee.slot(of: key) != nil }
  }

  /// Counts a miss without a look-up.
  func countMiss() { ownLane.pointee.withLock { $0.missCount += 1 } }

  /// The lane of the calling thread.
  private var ownLane: UnsafeMutablePointer<LockedLane> {
    lane(Int(clinux_thread_number()) & (Self.laneCount - 1))
  }

  private func lane(_ index: Int) -> UnsafeMutablePointer<LockedLane> {
    (lanes + index * Self.laneStride).assumingMemoryBound(to: LockedLane.self)
  }

  /// Changes the table with exclusive access.
  func update<Result: Sendable>(
    _ body: (inout SlotTable<Value>, inout any EvictionPolicy) -> Result
  ) -> Result {
    policy.withLock { policy in
      withLanes(from: 0, &policy) { policy, _ in body(&entries.pointee, &policy) }
    }
  }

  /// The counters and content size of the table at one instant.
  var metrics: CacheMetrics {
    policy.withLock { policy in
      withLanes(from: 0, &policy) { _, counts in
        var metrics = entries.pointee.metrics
        metrics.hitCount = counts.hits
        metrics.missCount = counts.misses
        return metrics
      }
    }
  }

  /// Calls a closure under the locks of all lanes from `index` on, after reporting their records to
  /// the policy.
  private func withLanes<Result: Sendable>(
    from index: Int, _ policy: inout any EvictionPolicy, counts: (hits: Int, misses: Int) = (0, 0),
    _ body: (inout any EvictionPolicy, (hits: Int, misses: Int)) -> Result
  ) -> Result {
    guard index < Self.laneCount else { return body(&policy, counts) }
    return lane(index).pointee.withLock { lane in
      lane.settle(&policy)
      let counts = (hits: counts.hits + lane.hitCount, misses: counts.misses + lane.missCount)
      return withLanes(from: index + 1, &policy, counts: counts, body)
    }
  }
}
