internal import Synchronization

/// Keeps the questions to a library that took longer than a threshold.
///
/// A question under its threshold costs two readings of the clock and a comparison.
public final class SlowOperationLog: Sendable {
  /// From which duration on a question is slow.
  public struct Thresholds: Hashable, Sendable {
    /// Of the reader's notes.
    public var userEntry: Duration
    /// Of the best edition.
    public var primaryEdition: Duration

    /// Creates thresholds; left out, they are those of the case study.
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

  /// From which duration on a question is kept.
  public let thresholds: Thresholds
  private let capacity: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let report: @Sendable (SlowOperation) -> Void
  private let state = Mutex(State())

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - thresholds: From which duration on a question is kept; one that takes exactly that long is
  ///     not.
  ///   - capacity: How many of the latest slow operations are kept, 0 or more.
  ///   - now: The clock.
  ///   - report: Called with each slow operation, on the thread that asked; it must not call the
  ///     library.
  public init(
    thresholds: Thresholds = Thresholds(), capacity: Int = 100,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    report: @escaping @Sendable (SlowOperation) -> Void = { _ in }
  ) {
    precondition(capacity >= 0, "a log keeps 0 or more operations")
    self.thresholds = thresholds
    self.capacity = capacity
    self.now = now
    self.report = report
  }

  /// The latest slow operations, the oldest first.
  public var recent: [SlowOperation] { state.withLock { $0.recent } }

  /// Returns how many questions of a kind were slow, also those that are no longer kept.
  public func count(of kind: SlowOperation.Kind) -> Int {
    state.withLock { $0.counts[kind] ?? 0 }
  }

  /// Times a question; one that fails is not kept.
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
