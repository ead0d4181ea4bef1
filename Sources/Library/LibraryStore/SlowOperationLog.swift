internal import Synchronization

/// A log of library queries that took longer than a threshold.
///
/// A query below its threshold costs two clock readings and a comparison.
public final class SlowOperationLog: Sendable {
  private struct State {
    var recent: [SlowOperation] = []
    var counts: [SlowOperation.Kind: Int] = [:]
  }

  private let capacity: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  /// Creates a log that keeps a number of slow operations, 0 or more.
  public init(
    capacity: Int = 100, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    precondition(capacity >= 0, "the capacity of a log must be 0 or more")
    self.capacity = capacity
    self.now = now
  }

  /// The latest slow operations, the oldest first.
  public var recent: [SlowOperation] { state.withLock { $0.recent } }

  /// Returns the number of slow queries of a kind, including those no longer kept.
  public func count(of kind: SlowOperation.Kind) -> Int {
    state.withLock { $0.counts[kind] ?? 0 }
  }

  /// Measures a query; a failed query is not logged.
  func timing<Answer, Failure: Error>(
    _ kind: SlowOperation.Kind, ofWork workID: Int64, _ ask: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let began = now()
    let answer = try ask()
    let duration = began.duration(to: now())
    if duration > kind.threshold {
      add(SlowOperation(kind: kind, workID: workID, duration: duration))
    }
    return answer
  }

  private func add(_ operation: SlowOperation) {
    state.withLock { state in
      state.counts[operation.kind, default: 0] += 1
      state.recent.append(operation)
      if state.recent.count > capacity { state.recent.removeFirst() }
    }
  }
}
