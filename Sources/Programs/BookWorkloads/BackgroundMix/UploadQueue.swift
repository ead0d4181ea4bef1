internal import CoverCache
internal import PerfWorkload
internal import Synchronization

/// Photos that are made ready to be sent by some threads.
final class UploadQueue: Sendable {
  static let counters = [
    CounterDeclaration(
      "upload.time", unit: .nanoseconds, direction: .lower,
      "Mean time to prepare a photo, from the moment that a thread takes it."),
    CounterDeclaration(
      "upload.longest", unit: .nanoseconds, direction: .lower, "The longest of these times."),
    CounterDeclaration(
      "upload.all_time", unit: .nanoseconds, direction: .lower,
      "Time until all photos were prepared."),
    CounterDeclaration(
      "upload.bytes", unit: .bytes, direction: .neutral, isDeterministic: true,
      "Bytes that are to be sent."),
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

  /// Creates a queue that does nothing yet.
  ///
  /// - Parameters:
  ///   - photos: Some JPEG files, taken in turn.
  ///   - count: How many photos there are.
  ///   - workers: Threads; 0 is one for each photo.
  ///   - nice: Their nice value.
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

  /// Reports what it took.
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
