internal import CoverCache
internal import CoverPalette
internal import Foundation
internal import PerfWorkload
internal import Synchronization

/// A camera whose frames are read for their colours, one after the other on a thread of their own.
final class CameraFeed: Sendable {
  /// How a frame is read.
  enum Reading: String, CaseIterable {
    /// Not at all: there is no camera.
    case none
    /// All its pixels as red, green and blue.
    case pixels
    /// Its planes; a pixel for each sample of colour is enough for a palette.
    case planes
  }

  static let counters = [
    CounterDeclaration(
      "feed.frames", unit: .count, direction: .higher, "Frames of the camera that were read."),
    CounterDeclaration(
      "feed.dropped", unit: .count, direction: .lower,
      "Frames of the camera that came while an earlier one was read."),
    CounterDeclaration(
      "feed.frame_time", unit: .nanoseconds, direction: .lower,
      "Mean time to read a frame of the camera."),
  ]

  private struct State {
    var watch = Stopwatch()
    var dropped = 0
  }

  private let frames: [[UInt8]]
  private let period: TimeInterval
  private let reading: Reading
  private let nice: Int
  private let threads = BackgroundThreads()
  private let isStopped = Atomic(false)
  private let state = Mutex(State())

  /// Creates a camera that is not started.
  ///
  /// - Parameters:
  ///   - frames: JPEG files, delivered in turn.
  ///   - rate: Frames in a second.
  ///   - reading: How each is read.
  ///   - nice: The thread's nice value.
  init(frames: [[UInt8]], rate: Double, reading: Reading, nice: Int) {
    self.frames = frames
    period = 1 / rate
    self.reading = reading
    self.nice = nice
  }

  /// Starts the camera.
  func start() {
    guard reading != .none else { return }
    threads.start("camera", nice: nice) { [self] in
      let began = Date()
      var slot = 0
      // The first frame is read however late the thread gets a CPU.
      repeat {
        read(slot)
        // Frames that came meanwhile are gone, as a camera drops them.
        let next = max(slot + 1, Int((Date().timeIntervalSince(began) / period).rounded(.up)))
        state.withLock { $0.dropped += next - slot - 1 }
        slot = next
        Thread.sleep(until: began.addingTimeInterval(Double(slot) * period))
      } while !isStopped.load(ordering: .relaxed)
    }
  }

  /// Stops the camera, and waits until the last frame is read.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    threads.wait()
  }

  /// Reports what it took.
  func report(to context: MeasurementContext) {
    state.withLock { state in
      context.report("feed.frames", state.watch.count)
      context.report("feed.dropped", state.dropped)
      context.report("feed.frame_time", state.watch.mean)
    }
  }

  private func read(_ slot: Int) {
    var watch = Stopwatch()
    watch.time {
      Phase.camera.measure { _ = try? palette(of: frames[slot % frames.count]) }
    }
    state.withLock { $0.watch.add(watch) }
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

extension Phase {
  fileprivate static let camera: Phase = "camera"
}
