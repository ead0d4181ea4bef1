internal import CoverCache
internal import PerfWorkload
internal import Synchronization

/// Photos that threads prepare for upload.
final class UploadQueue: Sendable {
  static let counters = [
    CounterDeclaration(
      "upload.time", unit: .nanoseconds, direction: .lower,
      "Mean time to prepare a photo, after a thread has taken it."),
    CounterDeclaration(
      "upload.longest", unit: .nanoseconds, direction: .lower, "Longest time to prepare a photo."),
    CounterDeclaration(
      "upload.all_time", unit: .nanoseconds, direction: .lower,
      "Time until all photos were prepared."),
    CounterDeclaration(
      "upload.bytes", unit: .bytes, direction: .neutral, isDeterministic: true,
      "Total size of the prepared photos."),
    CounterDeclaration(
      "upload.failed", unit: .count, direction: .lower, "Photos that could not be prepared."),
  ]

  private struct State {
    var next = 0
    var watch = Stopwatch()
    var byteCount = 0
    var failures = 0
    var ended: ContinuousClock.Instant?
  }

  private let photos: [[UInt8]]
  private let count: Int
  private let workers: Int
  private let nice: Int
  private let threads = BackgroundThreads()
  private let state = Mutex(State())
  private let began = Mutex(ContinuousClock.now)

  /// Creates a queue that has not started.
  ///
  /// - Parameters:
  ///   - photos: JPEG files, which are used in turn.
  ///   - count: The number of photos to prepare.
  ///   - workers: The number of threads; 0 starts one per photo.
  ///   - nice: The nice value of the threads.
  init(photos: [[UInt8]], count: Int, workers: Int, nice: Int) {
    self.photos = photos
    self.count = count
    self.workers = workers == 0 ? count : min(workers, count)
    self.nice = nice
  }

  /// Starts the threads.
  func start() {
    began.withLock { $0 = .now }
    for worker in 0..<workers {
      threads.start("upload-\(worker + 1)", nice: nice) { [self] in
        while let photo = takeNext() { prepare(photo) }
      }
    }
  }

  /// Waits until all photos are prepared.
  func wait() { threads.wait() }

  /// Reports the counters.
  func report(to context: MeasurementContext) {
    let began = began.withLock(\.self)
    state.withLock { state in
      context.report("upload.time", state.watch.mean)
      context.report("upload.longest", state.watch.longest.nanoseconds)
      context.report("upload.all_time", ((state.ended ?? began) - began).nanoseconds)
      context.report("upload.bytes", state.byteCount)
      context.report("upload.failed", state.failures)
    }
  }

  private func takeNext() -> Int? {
    state.withLock { state in
      guard state.next < count else { return nil }
      state.next += 1
      return state.next - 1
    }
  }

  private func prepare(_ photo: Int) {
    var watch = Stopwatch()
    let prepared = watch.time {
      try? Phase.upload.measure { () throws(CoverError) in
        try UploadPreparation().prepare(photos[photo % photos.count], name: "\(photo)")
      }
    }
    state.withLock { state in
      state.watch.add(watch)
      state.byteCount += prepared?.count ?? 0
      state.failures += prepared == nil ? 1 : 0
      state.ended = .now
    }
  }
}

extension Phase {
  fileprivate static let upload: Phase = "upload"
}
