internal import OrderedCollections

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
  }

  private let monitor = Monitor(State())

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - threads: How many loads may run at one time.
  ///   - nice: Of the threads, from 0, as everybody, to 19, only when nobody else wants the CPU.
  ///   - loader: Called on the threads.
  /// - Throws: ``CoverError/noThread(code:)``.
  init(threads: Int, nice: Int, loader: @escaping Loader) throws(CoverError) {
    for number in 1...max(1, threads) {
      // The threads hold the monitor and not the queue, which therefore can end and stop them.
      try startThread(named: "cover-loader-\(number)", nice: nice) { [monitor] in
        while let load = LoadQueue.next(from: monitor) {
          LoadQueue.run(load, of: monitor, by: loader)
        }
      }
    }
  }

  deinit { stop() }

  /// What the loaders have done so far.
  var metrics: LoadMetrics {
    monitor.withLock { state in
      var metrics = state.metrics
      metrics.pendingCount = state.requests.count
      return metrics
    }
  }

  /// Puts a request in the queue, or joins the load that is there for it.
  func add(_ request: CoverRequest, priority: LoadPriority) {
    let load = CoverLoad(key: request.key, kind: request.kind)
    let isStopped = monitor.withLock { state in
      guard !state.isStopped else { return true }
      if state.requests[load]?.append(request) != nil {
        state.metrics.joinedCount += 1
        if priority == .visible, state.waiting[.prefetch]?.remove(load) != nil {
          state.waiting[.visible, default: []].append(load)
        }
      } else {
        state.requests[load] = [request]
        state.waiting[priority, default: []].append(load)
      }
      return false
    }
    guard !isStopped else { return request.finish(.failure(.cancelled(cover: load.key))) }
    monitor.notifyOne()
  }

  /// Withdraws a request, and its load with it when nobody else waits for that.
  func cancel(_ request: CoverRequest) {
    let load = CoverLoad(key: request.key, kind: request.kind)
    monitor.withLock { state in
      guard var requests = state.requests[load],
        let index = requests.firstIndex(where: { $0 === request })
      else { return }
      requests.remove(at: index)
      state.requests[load] = requests
      if requests.isEmpty, !state.running.contains(load) {
        state.requests[load] = nil
        for priority in LoadPriority.allCases { state.waiting[priority]?.remove(load) }
        state.metrics.cancelledCount += 1
      }
    }
    request.finish(.failure(.cancelled(cover: load.key)))
  }

  /// Ends the threads after what they are doing; whatever waits is cancelled.
  func stop() {
    let orphans = monitor.withLock { state in
      state.isStopped = true
      state.waiting = [:]
      let waiting = state.requests.filter { !state.running.contains($0.key) }
      for load in waiting.keys { state.requests[load] = nil }
      state.metrics.cancelledCount += waiting.count
      return waiting.values.flatMap { $0 }
    }
    monitor.notifyAll()
    for request in orphans { request.finish(.failure(.cancelled(cover: request.key))) }
  }

  /// Waits for the next load; nil when the queue has been stopped.
  private static func next(from monitor: Monitor<State>) -> CoverLoad? {
    monitor.wait { state -> CoverLoad?? in
      if state.isStopped { return .some(nil) }
      for priority in LoadPriority.allCases.reversed() {
        guard state.waiting[priority]?.isEmpty == false,
          let load = state.waiting[priority]?.removeFirst()
        else { continue }
        state.running.insert(load)
        state.metrics.startedCount += 1
        state.metrics.highestConcurrency = max(
          state.metrics.highestConcurrency, state.running.count)
        return load
      }
      return nil
    }
  }

  private static func run(_ load: CoverLoad, of monitor: Monitor<State>, by loader: Loader) {
    let result = Result { () throws(CoverError) in
      try loader(load) { monitor.withLock { $0.requests[load]?.isEmpty == false } }
    }
    let requests = monitor.withLock { state -> [CoverRequest] in
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
      return []
    }
    monitor.notifyOne()
    for request in requests { request.finish(result) }
  }
}
