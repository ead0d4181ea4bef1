internal import CoverCache
internal import CoverPalette
internal import Foundation
internal import PerfWorkload
internal import Synchronization

/// A camera whose frames are analysed for colours on a separate thread.
final class CameraFeed: Sendable {
  /// The format in which a frame is read.
  enum Reading: String, CaseIterable {
    /// Frames are not read, as without a camera.
    case none
    /// All pixels as red, green and blue.
    case pixels
    /// The colour planes, whose lower resolution suffices for a palette.
    case planes
  }

  static let counters: [CounterDeclaration] = [
    .count("feed.frames", .higher, "Camera frames that were read."),
    .count("feed.dropped", .lower, "Camera frames that arrived while an earlier frame was read."),
    .count("feed.failed", .lower, "Camera frames that could not be decoded."),
    .time("feed.frame_time", .lower, "Mean time to read a camera frame."),
  ]

  private struct State {
    var watch = Stopwatch()
    var dropped = 0
    var failures = 0
  }

  private let frames: [[UInt8]]
  private let period: TimeInterval
  private let reading: Reading
  private let nice: Int
  private let threads = BackgroundThreads()
  private let isStopped = Atomic(false)
  private let state = Mutex(State())

  /// Creates a stopped camera that delivers JPEG files in turn, at a rate per second.
  init(frames: [[UInt8]], rate: Double, reading: Reading, nice: Int) {
    self.frames = frames
    period = 1 / rate
    self.reading = reading
    self.nice = nice
  }

  func start() {
    guard reading != .none else { return }
    threads.start("camera", nice: nice) { [self] in
      let began = Date()
      var slot = 0
      // The first frame is read even if the thread starts late.
      repeat {
        read(slot)
        // A camera drops the frames that arrive while a frame is read.
        let next = max(slot + 1, Int((Date().timeIntervalSince(began) / period).rounded(.up)))
        state.withLock { $0.dropped += next - slot - 1 }
        slot = next
        Thread.sleep(until: began.addingTimeInterval(Double(slot) * period))
      } while !isStopped.load(ordering: .relaxed)
    }
  }

  /// Stops the camera and waits until the last frame is read.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    threads.wait()
  }

  func report(to context: MeasurementContext) {
    state.withLock { state in
      context.report("feed.frames", state.watch.count)
      context.report("feed.dropped", state.dropped)
      context.report("feed.failed", state.failures)
      context.report("feed.frame_time", state.watch.mean)
    }
  }

  private func read(_ slot: Int) {
    var watch = Stopwatch()
    let colours = watch.time {
      try? Phase.camera.measure { () throws(CoverError) in
        try palette(of: frames[slot % frames.count])
      }
    }
    state.withLock { state in
      state.watch.add(watch)
      state.failures += colours == nil ? 1 : 0
    }
  }

  private func palette(of frame: [UInt8]) throws(CoverError) -> Palette {
    let picture: PixelBuffer
    switch reading {
    case .none, .pixels: picture = try JPEGDecoder().decode(frame, cover: "frame")
    case .planes:
      picture = try JPEGDecoder().decodePlanes(frame, cover: "frame").coarsePicture()
    }
    return PaletteExtractor().palette(of: picture)
  }
}
