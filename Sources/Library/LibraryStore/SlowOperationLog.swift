internal import Synchronization

/// A log of library queries that took longer than a threshold.
///
/// A query below its threshold costs two clock readings and a comparison.
public final class SlowOperationLog: Sendable {
  /// The durations above which queries are slow.
  public struct Thresholds: Hashable, Sendable {
    /// The threshold for user entries.
    public var userEntry: Duration
    /// The threshold for the best edition.
    public var primaryEdition: Duration

    /// Creates thresholds; the defaults are the case study's.
    public init(
      userEntry: Duration = .milliseconds(1), primaryEdition: Duration = .milliseconds(10)
    ) {
      self.userEntry = userEntry
      self.primaryEdition = primaryEdition
    }

    subscript(kind: SlowOperation.Kind) -> Duration {
      switch kind {
      case .userEntry: userEntry
      case .primaryEdition: primaryEdition
      }
    }
  }

  private struct State {
    var recent: [SlowOperation] = []
    var counts: [SlowOperation.Kind: Int] = [:]
  }

  /// The durations above which queries are logged.
  public let thresholds: Thresholds
  private let capacity: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let report: @Sendable (SlowOperation) -> Void
  private let state = Mutex(State())

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - thresholds: The durations above which queries are logged.
  ///   - capacity: The number of slow operations to keep, 0 or more.
  ///   - now: The clock.
  ///   - report: Called with each slow operation on the querying thread; it must not call the
  ///     library.
  public init(
    thresholds: Thresholds = Thresholds(), capacity: Int = 100,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    report: @escaping @Sendable (SlowOperation) -> Void = { _ in }
  ) {
    precondition(capacity >= 0, "the capacity of a log must be 0 or more")
    self.thresholds = thresholds
    self.capacity = capacity
    self.now = now
    self.report = report
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
    if duration > thresholds[kind] {
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
    report(operation)
  }
}
