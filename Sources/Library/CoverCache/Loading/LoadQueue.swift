internal import OrderedCollections
internal import Synchronization

/// What one load makes: a cover in one form.
struct CoverLoad: Hashable, Sendable {
  let key: String
  let kind: CoverKind
}

/// Loads covers on a few named threads of low priority, each cover once however often it is wanted.
///
/// Visible covers go before prefetched ones; within each, first come, first served. A load that waits
/// to be tried again keeps no thread.
final class LoadQueue: Sendable {
  /// Makes a cover; asks `isWanted` before each dear step, and throws `cancelled` when it is not.
  typealias Loader =
    @Sendable (
      _ load: CoverLoad, _ isWanted: () -> Bool
    ) throws(CoverError) -> PixelBuffer

  fileprivate struct State {
    var waiting: [LoadPriority: OrderedSet<CoverLoad>] = [:]
    var requests: [CoverLoad: [CoverRequest]] = [:]
    var running: Set<CoverLoad> = []
    /// How often loads that failed for the moment were tried.
    var attempts: [CoverLoad: Int] = [:]
    /// How many loads may run at one time.
    var limit: Int
    var metrics = LoadMetrics()
    var isStopped = false

    mutating func add(_ request: CoverRequest, priority: LoadPriority) {
      let load = request.load
      if requests[load]?.append(request) != nil {
        metrics.joinedCount += 1
        if priority == .visible, waiting[.prefetch]?.remove(load) != nil {
          waiting[.visible, default: []].append(load)
        }
      } else {
        requests[load] = [request]
        waiting[priority, default: []].append(load)
      }
    }

    mutating func startNext() -> CoverLoad? {
      guard !isStopped, running.count < limit else { return nil }
      for priority in LoadPriority.allCases.reversed() {
        guard waiting[priority]?.isEmpty == false,
          let load = waiting[priority]?.removeFirst()
        else { continue }
        running.insert(load)
        metrics.startedCount += 1
        metrics.highestConcurrency = max(metrics.highestConcurrency, running.count)
        return load
      }
      return nil
    }

    mutating func cancel(_ request: CoverRequest) {
      let load = request.load
      guard let index = requests[load]?.firstIndex(where: { $0 === request }) else { return }
      requests[load]?.remove(at: index)
      guard requests[load]?.isEmpty == true, !running.contains(load) else { return }
      requests[load] = nil
      attempts[load] = nil
      for priority in LoadPriority.allCases { waiting[priority]?.remove(load) }
      metrics.cancelledCount += 1
    }
  }

  /// What the threads hold: not the queue, which therefore can end and stop them.
  private final class Shared: Sendable {
    let state: Mutex<State>
    /// A permit for each load that may start; a load that was cancelled leaves one over.
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

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - threads: How many loads may run at one time.
  ///   - nice: Of the threads, from 0, as everybody, to 19, only when nobody else wants the CPU.
  ///   - retry: When a load that failed for the moment is tried again.
  ///   - clock: What it waits by until then.
  ///   - loader: Called on the threads.
  /// - Throws: ``CoverError/noThread(code:)``.
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

  /// What the loaders have done so far.
  var metrics: LoadMetrics {
    shared.state.withLock { state in
      var metrics = state.metrics
      metrics.pendingCount = state.requests.count
      return metrics
    }
  }

  /// Puts requests in the queue, each with a load of its own or joined to the one that is there.
  ///
  /// The lock is taken once for all of them: a loader that it wakes may be kept from the CPU while it
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

  /// Withdraws requests, and the loads that nobody else waits for.
  func cancel(_ requests: [CoverRequest]) {
    let pending = requests.filter { $0.result == nil }
    guard !pending.isEmpty else { return }
    shared.state.withLock { state in
      for request in pending { state.cancel(request) }
    }
    for request in pending { request.finishCancelled() }
  }

  /// Lets fewer loads run at one time than there are threads, or as many again; 0 suspends all.
  func setLimit(_ limit: Int) {
    shared.state.withLock { $0.limit = max(0, min(threads, limit)) }
    shared.added.signal(threads)
  }

  /// Ends the threads after what they are doing; whatever waits is cancelled.
  func stop() {
    let orphans = shared.state.withLock { state in
      state.isStopped = true
      state.waiting = [:]
      let waiting = state.requests.filter { !state.running.contains($0.key) }
      for load in waiting.keys { state.requests[load] = nil }
      state.metrics.cancelledCount += waiting.count
      return waiting.values.flatMap { $0 }
    }
    shared.added.signal(threads)
    for request in orphans { request.finishCancelled() }
  }

  /// Waits for the next load; nil when the queue has been stopped.
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
      try loader(load) { shared.state.withLock { $0.requests[load]?.isEmpty == false } }
    }
    let (requests, delay) = shared.state.withLock { $0.finish(load, result, shared.retry) }
    if let delay {
      shared.clock.call(delay) {
        if shared.state.withLock({ $0.resume(load) }) { shared.added.signal() }
      }
    }
    // Whoever found no place when this load ran may start now.
    shared.added.signal()
    for request in requests { request.finish(result) }
  }
}

extension LoadQueue.State {
  /// Ends a load, or puts it off.
  ///
  /// - Returns: Who is to be told of the result, and after which time the load is tried again.
  fileprivate mutating func finish(
    _ load: CoverLoad, _ result: Result<PixelBuffer, CoverError>, _ retry: RetryPolicy
  ) -> (requests: [CoverRequest], delay: Duration?) {
    running.remove(load)
    let isWanted = requests[load]?.isEmpty == false && !isStopped
    if case .failure(.cancelled) = result, isWanted {
      // Somebody joined after the loader had been told that nobody wants the cover.
      metrics.cancelledCount += 1
      waiting[.visible, default: []].append(load)
      return ([], nil)
    }
    let attempt = (attempts.removeValue(forKey: load) ?? 0) + 1
    if case .failure(let error) = result, isWanted,
      let delay = retry.delay(afterAttempts: attempt, error: error, key: load.key)
    {
      attempts[load] = attempt
      metrics.retriedCount += 1
      return ([], delay)
    }
    switch result {
    case .success: metrics.finishedCount += 1
    case .failure(.cancelled): metrics.cancelledCount += 1
    case .failure: metrics.failedCount += 1
    }
    return (requests.removeValue(forKey: load) ?? [], nil)
  }

  /// Puts a load that was put off in the queue again; false when nobody wants it any more.
  fileprivate mutating func resume(_ load: CoverLoad) -> Bool {
    guard !isStopped, requests[load]?.isEmpty == false, attempts[load] != nil,
      !running.contains(load), !waiting.values.contains(where: { $0.contains(load) })
    else { return false }
    waiting[.visible, default: []].append(load)
    return true
  }
}
