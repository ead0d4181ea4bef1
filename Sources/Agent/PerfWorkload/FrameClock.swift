internal import CPerfFormat
internal import Synchronization

/// Runs frame loops on a grid of refreshes, as a display would.
///
/// The animation is driven by time: a frame is told the time of its ideal slot, and slots that were
/// missed are skipped. A *paced* clock really sleeps until each slot, so that background threads get
/// the idle time that they would have on a device; an unpaced one runs frames back to back on the
/// same grid. Either way a frame's slot follows from the slots and measured costs of the frames
/// before it, so that a late wake-up of this machine is not taken for a slow frame.
///
/// The loop allocates nothing and reads four clocks a frame.
public struct FrameClock: Sendable {
  private let milliHertz: UInt64
  private let isPaced: Bool

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - refresh: The refresh rate in hertz, from 1 to 1,000; 120 is a period of 8.333 ms.
  ///   - paced: Whether the loop waits for each slot.
  public init(refresh: Double, paced: Bool) {
    precondition((1...1000).contains(refresh), "a refresh rate is from 1 Hz to 1 kHz")
    milliHertz = UInt64((refresh * 1000).rounded())
    isPaced = paced
  }

  /// Runs an animated interval of a given length: frames whose slots are before its end.
  ///
  /// - Parameters:
  ///   - name: Of the interval, as `fling.down`.
  ///   - duration: Of the animation; one that is not positive has no frame.
  ///   - body: Makes a frame.
  /// - Throws: What `body` throws; the interval ends with that frame.
  public func animate<Failure: Error>(
    _ name: String, for duration: Duration, _ body: (Frame) throws(Failure) -> Void
  ) throws(Failure) {
    let length = duration.wholeNanoseconds
    try run(name, isAnimating: { $0 < length }, body)
  }

  /// Runs an animated interval for as long as a condition holds.
  ///
  /// - Parameters:
  ///   - name: Of the interval, as `drag`.
  ///   - isAnimating: Is asked before each frame with the time of its slot in the animation.
  ///   - body: Makes a frame.
  /// - Throws: What `body` throws; the interval ends with that frame.
  public func animate<Failure: Error>(
    _ name: String, while isAnimating: (Duration) -> Bool,
    _ body: (Frame) throws(Failure) -> Void
  ) throws(Failure) {
    try run(name, isAnimating: { isAnimating(.nanoseconds(Int64($0))) }, body)
  }

  private func run<Failure: Error>(
    _ name: String, isAnimating: (UInt64) -> Bool, _ body: (Frame) throws(Failure) -> Void
  ) throws(Failure) {
    let interval = Self.intervals.wrappingAdd(1, ordering: .relaxed).oldValue
    let nameID = MarkNames.shared.id(of: name)
    var schedule = FrameSchedule(start: Clock.monotonic(), milliHertz: milliHertz)
    perf_mark_interval_begin(interval, nameID, milliHertz, isPaced ? 1 : 0, schedule.start)
    defer { perf_mark_interval_end(interval, Clock.monotonic()) }
    while isAnimating(schedule.slot - schedule.start) {
      let cost = try makeFrame(schedule, interval: interval, body)
      schedule.advance(cost: cost)
    }
  }

  /// Makes one frame and returns its cost in nanoseconds.
  private func makeFrame<Failure: Error>(
    _ schedule: FrameSchedule, interval: UInt32, _ body: (Frame) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    let slot = schedule.slot
    if isPaced { Clock.sleep(until: slot) }
    let woken = Clock.monotonic()
    let index = Self.frames.wrappingAdd(1, ordering: .relaxed).oldValue
    perf_mark_frame_enter(index)
    let cpuBefore = Clock.threadCPU()
    let began = Clock.monotonic()
    var ended = began
    defer {
      // A frame that threw has its mark, too.
      if ended == began { ended = Clock.monotonic() }
      let cpu = Clock.threadCPU() - cpuBefore
      perf_mark_frame_exit(interval, index, schedule.vsync, woken, began, ended, cpu)
    }
    try body(Frame(index: Int(index), nanoseconds: slot - schedule.start))
    ended = Clock.monotonic()
    return ended - began
  }

  // Frames and intervals are numbered in the whole process.
  private static let frames = Atomic<UInt32>(0)
  private static let intervals = Atomic<UInt32>(0)
}

extension Duration {
  /// The duration in nanoseconds, rounded down; 0 when it is negative, and at most a century.
  fileprivate var wholeNanoseconds: UInt64 {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
