internal import CPerfFormat
internal import Synchronization

/// Runs frame loops on a grid of display refreshes.
///
/// Each frame gets the time of its slot on the grid; slots that a slow frame missed are skipped. A
/// paced clock sleeps until each slot, so that background threads get the idle time that they would
/// have on a device. An unpaced clock runs the frames back to back on the same grid. In both cases
/// the slot of a frame follows from the slots and the measured costs of the previous frames, so that
/// a late wake-up of the machine does not count as a slow frame.
///
/// The loop allocates nothing and reads four clocks per frame.
public struct FrameClock: Sendable {
  private let milliHertz: UInt64
  private let isPaced: Bool

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - refresh: The refresh rate in hertz, from 1 to 1,000; 120 is a period of 8.333 ms.
  ///   - paced: Whether the loop sleeps until each slot.
  public init(refresh: Double, paced: Bool) {
    precondition((1...1000).contains(refresh), "a refresh rate is from 1 Hz to 1 kHz")
    milliHertz = UInt64((refresh * 1000).rounded())
    isPaced = paced
  }

  /// Runs an animation with a fixed duration.
  ///
  /// - Parameters:
  ///   - name: The name of the animation, e.g. `fling.down`.
  ///   - duration: The duration; zero or less runs no frame.
  ///   - body: Draws a frame.
  /// - Throws: The error of `body`, which ends the animation.
  public func animate<Failure: Error>(
    _ name: String, for duration: Duration, _ body: (Frame) throws(Failure) -> Void
  ) throws(Failure) {
    let length = duration.wholeNanoseconds
    try run(name, isAnimating: { $0 < length }, body)
  }

  /// Runs an animation while a condition holds.
  ///
  /// - Parameters:
  ///   - name: The name of the animation, e.g. `drag`.
  ///   - isAnimating: The condition, which receives the time of each slot since the start of the
  ///     animation.
  ///   - body: Draws a frame.
  /// - Throws: The error of `body`, which ends the animation.
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

  /// Runs one frame and returns its cost in nanoseconds.
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
      // A frame whose body threw is also recorded.
      if ended == began { ended = Clock.monotonic() }
      let cpu = Clock.threadCPU() - cpuBefore
      perf_mark_frame_exit(interval, index, schedule.vsync, woken, began, ended, cpu)
    }
    try body(Frame(index: Int(index), nanoseconds: slot - schedule.start))
    ended = Clock.monotonic()
    return ended - began
  }

  // The numbers of frames and animations are unique in the process.
  private static let frames = Atomic<UInt32>(0)
  private static let intervals = Atomic<UInt32>(0)
}

extension Duration {
  /// The duration in nanoseconds, rounded down and limited to the range from 0 to a century.
  fileprivate var wholeNanoseconds: UInt64 {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, century)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
