internal import OrderedCollections
internal import Synchronization

/// What one load makes: a cover in one form.
struct CoverLoad: Hashable, Sendable {
  let key: String
  let kind: CoverKind
}

/// Loads covers on a few named threads of low priority, each cover once however often it is wanted.
///
/// Visible covers go before prefetched ones; within each, first come, first served.
final class LoadQueue: Sendable {
  /// Makes a cover; asks `isWanted` before each dear step, and throws `cancelled` when it is not.
  typealias Loader =
    @Sendable (
      _ load: CoverLoad, _ isWanted: () -> Bool
    ) throws(CoverError) -> PixelBuffer

  private struct State {
    var waiting: [LoadPriority: OrderedSet<CoverLoad>] = [:]
    var requests: [CoverLoad: [CoverRequest]] = [:]
    var running: Set<CoverLoad> = []
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
      guard !isStopped else { return nil }
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
      for priority in LoadPriority.allCases { waiting[priority]?.remove(load) }
      metrics.cancelledCount += 1
    }
  }

  /// What the threads hold: not the queue, which therefore can end and stop them.
  private final class Shared: Sendable {
    let state = Mutex(State())
    /// A permit for each load that was added; a load that was cancelled leaves one over.
    let added = Semaphore()
  }

  private let shared = Shared()
  private let threads: Int

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - threads: How many loads may run at one time.
  ///   - nice: Of the threads, from 0, as everybody, to 19, only when nobody else wants the CPU.
  ///   - loader: Called on the threads.
  /// - Throws: ``CoverError/noThread(code:)``.
  init(threads: Int, nice: Int, loader: @escaping Loader) throws(CoverError) {
    self.threads = max(1, threads)
    for number in 1...self.threads {
      try startThread(named: "cover-loader-\(number)", nice: nice) { [shared] in
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
    let requests = shared.state.withLock { state -> [CoverRequest] in
      state.running.remove(load)
      let requests = state.requests.removeValue(forKey: load) ?? []
      switch result {
      case .success: state.metrics.finishedCount += 1
      case .failure(.cancelled): state.metrics.cancelledCount += 1
      case .failure: state.metrics.failedCount += 1
      }
      guard case .failure(.cancelled) = result, !requests.isEmpty, !state.isStopped else {
        return requests
      }
      // Somebody joined after the loader had been told that nobody wants the cover.
      state.requests[load] = requests
      state.waiting[.visible, default: []].append(load)
      shared.added.signal()
      return []
    }
    for request in requests { request.finish(result) }
  }
}
