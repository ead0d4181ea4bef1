internal import Synchronization

/// The unit of loading: one cover in one form.
struct CoverLoad: Hashable, Sendable {
  let key: String
  let kind: CoverKind
}

/// Loads covers on a few named threads of low priority; requests for one cover share one load.
///
/// Visible covers come before prefetched ones; within each priority, first come, first served. A
/// load that waits for a retry occupies no thread.
final class LoadQueue: Sendable {
  /// Makes a cover; calls `need` before it decodes the source's bytes, and throws `cancelled` when
  /// nothing is needed any more.
  typealias Loader =
    @Sendable (
      _ load: CoverLoad, _ need: () -> LoadNeed
    ) throws(CoverError) -> LoadedCover

  fileprivate struct State {
    var waiting = LoadLine()
    var requests: [CoverLoad: [CoverRequest]] = [:]
    var running: Set<CoverLoad> = []
    /// The number of failed attempts of loads that are tried again.
    var attempts: [CoverLoad: Int] = [:]
    /// The number of failed attempts of loads that may not start yet.
    ///
    /// The pause of a load ends with its timer, also if its requests were cancelled meanwhile: a
    /// new request must not ask an overloaded server earlier. So each load has at most one timer.
    var paused: [CoverLoad: Int] = [:]
    /// The number of loads that may run concurrently.
    var limit: Int
    var metrics = LoadMetrics()
    var isStopped = false

    mutating func add(_ request: CoverRequest, priority: LoadPriority) {
      let load = request.load
      if requests[load]?.append(request) != nil {
        metrics.joinedCount += 1
        if waiting.contains(load) { waiting.append(load, priority) }
      } else {
        requests[load] = [request]
        if paused[load] == nil { waiting.append(load, priority) }
      }
    }

    func need(of load: CoverLoad) -> LoadNeed {
      guard let requests = requests[load], !requests.isEmpty else { return .nothing }
      return requests.contains(where: \.wantsPicture) ? .picture : .encoded
    }

    mutating func startNext() -> CoverLoad? {
      guard !isStopped, running.count < limit, let load = waiting.popFirst() else { return nil }
      running.insert(load)
      metrics.startedCount += 1
      metrics.highestConcurrency = max(metrics.highestConcurrency, running.count)
      return load
    }

    mutating func cancel(_ request: CoverRequest) {
      let load = request.load
      guard let index = requests[load]?.firstIndex(where: { $0 === request }) else { return }
      requests[load]?.remove(at: index)
      guard requests[load]?.isEmpty == true, !running.contains(load) else { return }
      requests[load] = nil
      attempts[load] = nil
      waiting.remove(load)
      metrics.cancelledCount += 1
    }
  }

  /// The state that the threads hold instead of the queue, so that it can end and stop them.
  private final class Shared: Sendable {
    let state: Mutex<State>
    /// One permit per load that may start; a cancelled load leaves a surplus permit.
    let added = Semaphore()
    let retry: RetryPolicy
    let clock: LoadClock

    init(limit: Int, retry: RetryPolicy, clock: LoadClock) {
      state = Mutex(State(limit: limit))
      self.retry = retry
      self.clock = clock
    }
  }

  private let shared: Shared
  private let threads: Int

  init(
    threads: Int, nice: Int, retry: RetryPolicy, clock: LoadClock, loader: @escaping Loader
  ) throws(CoverError) {
    self.threads = max(1, threads)
    let shared = Shared(limit: self.threads, retry: retry, clock: clock)
    self.shared = shared
    for number in 1...self.threads {
      try startThread(named: "cover-loader-\(number)", nice: nice) {
        while let load = LoadQueue.next(from: shared) {
          LoadQueue.run(load, of: shared, by: loader)
        }
      }
    }
  }

  deinit { stop() }

  var metrics: LoadMetrics {
    shared.state.withLock { state in
      var metrics = state.metrics
      metrics.pendingCount = state.requests.count
      return metrics
    }
  }

  /// Adds requests to the queue; each joins an existing load for its cover or gets a new one.
  ///
  /// The lock is taken once for all requests. A loader that is woken may lose the CPU while it
  /// holds the lock, and the frame thread would wait for it.
  func add(_ requests: [CoverRequest], priority: LoadPriority) {
    guard !requests.isEmpty else { return }
    let isStopped = shared.state.withLock { state in
      guard !state.isStopped else { return true }
      for request in requests { state.add(request, priority: priority) }
      return false
    }
    guard !isStopped else {
      for request in requests { request.finishCancelled() }
      return
    }
    shared.added.signal(requests.count)
  }

  /// Cancels requests, and loads without further requests.
  func cancel(_ requests: [CoverRequest]) {
    let pending = requests.filter { $0.outcome == nil }
    guard !pending.isEmpty else { return }
    shared.state.withLock { state in
      for request in pending { state.cancel(request) }
    }
    for request in pending { request.finishCancelled() }
  }

  /// Sets the number of concurrent loads, at most the number of threads; 0 suspends all loads.
  func setLimit(_ limit: Int) {
    shared.state.withLock { $0.limit = max(0, min(threads, limit)) }
    shared.added.signal(threads)
  }

  /// Stops the threads after their current loads and cancels all waiting loads.
  func stop() {
    let orphans = shared.state.withLock { state in
      state.isStopped = true
      state.waiting.removeAll()
      let waiting = state.requests.filter { !state.running.contains($0.key) }
      for load in waiting.keys { state.requests[load] = nil }
      state.metrics.cancelledCount += waiting.count
      return waiting.values.flatMap { $0 }
    }
    shared.added.signal(threads)
    for request in orphans { request.finishCancelled() }
  }

  /// Waits for the next load; returns nil when the queue has been stopped.
  private static func next(from shared: Shared) -> CoverLoad? {
    while true {
      shared.added.wait()
      let (load, isStopped) = shared.state.withLock { ($0.startNext(), $0.isStopped) }
      if isStopped { return nil }
      if let load { return load }
    }
  }

  private static func run(_ load: CoverLoad, of shared: Shared, by loader: Loader) {
    let result = Result { () throws(CoverError) in
      try loader(load) { shared.state.withLock { $0.need(of: load) } }
    }
    let (requests, delay) = shared.state.withLock { $0.finish(load, result, shared.retry) }
    if let delay {
      shared.clock.call(delay) {
        if shared.state.withLock({ $0.resume(load) }) { shared.added.signal() }
      }
    }
    // A load that was held back by the concurrency limit may start now.
    shared.added.signal()
    for request in requests {
      // A stopped queue does not decode for requests that joined a prefetch.
      if case .success(.encoded) = result, request.wantsPicture {
        request.finishCancelled()
      } else {
        request.finish(result)
      }
    }
  }
}

extension LoadQueue.State {
  /// Ends a load or schedules a retry; returns the requests that receive the result, and the delay.
  fileprivate mutating func finish(
    _ load: CoverLoad, _ result: Result<LoadedCover, CoverError>, _ retry: RetryPolicy
  ) -> (requests: [CoverRequest], delay: Duration?) {
    running.remove(load)
    let isWanted = need(of: load) != .nothing && !isStopped
    if case .success(.encoded) = result, isWanted, need(of: load) == .picture {
      // A request for the decoded cover joined after the loader had decided not to decode.
      let joined = requests[load]?.filter(\.wantsPicture)
      let prefetches = requests.updateValue(joined ?? [], forKey: load) ?? []
      waiting.append(load, .visible)
      return (prefetches.filter { !$0.wantsPicture }, nil)
    }
    if case .failure(.cancelled) = result, isWanted {
      // A request joined after the loader had found the load unwanted.
      metrics.cancelledCount += 1
      waiting.append(load, .visible)
      return ([], nil)
    }
    let attempt = (attempts.removeValue(forKey: load) ?? 0) + 1
    var delay: Duration?
    if case .failure(let error) = result, !isStopped {
      delay = retry.delay(afterAttempts: attempt, error: error, key: load.key)
    }
    if delay != nil { paused[load] = attempt }
    if delay != nil, isWanted {
      metrics.retriedCount += 1
      return ([], delay)
    }
    switch result {
    case .success: metrics.finishedCount += 1
    case .failure(.cancelled): metrics.cancelledCount += 1
    case .failure: metrics.failedCount += 1
    }
    return (requests.removeValue(forKey: load) ?? [], delay)
  }

  /// Ends the pause of a load and queues it for its retry; returns false when no request is left.
  fileprivate mutating func resume(_ load: CoverLoad) -> Bool {
    guard let attempt = paused.removeValue(forKey: load), !isStopped, need(of: load) != .nothing
    else { return false }
    attempts[load] = attempt
    waiting.append(load, .visible)
    return true
  }
}
