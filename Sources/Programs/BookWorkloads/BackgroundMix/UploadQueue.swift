internal import CoverCache
internal import PerfWorkload
internal import Synchronization

/// Photos that threads prepare for upload.
final class UploadQueue: Sendable {
  static let counters: [CounterDeclaration] = [
    .time("upload.time", .lower, "Mean time to prepare a photo, after a thread has taken it."),
    .time("upload.longest", .lower, "Longest time to prepare a photo."),
    .time("upload.all_time", .lower, "Time until all photos were prepared."),
    .bytes("upload.bytes", .neutral, isExact: true, "Total size of the prepared photos."),
    .count("upload.failed", .lower, "Photos that could not be prepared."),
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

  /// Creates a queue that will prepare JPEG files in turn; 0 workers are one per photo.
  init(photos: [[UInt8]], count: Int, workers: Int, nice: Int) {
    self.photos = photos
    self.count = count
    self.workers = workers == 0 ? count : min(workers, count)
    self.nice = nice
  }

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
