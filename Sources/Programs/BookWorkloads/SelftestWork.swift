internal import PerfWorkload

/// A known amount of work in equal frames, plus a known change, which `perfkit selftest` measures.
///
/// The change is real work: more steps, more written pages, additional steps in some frames. It
/// reaches the metrics in the same way as every change of a program.
final class SelftestWork: Workload {
  static let name = "selftest.work"
  static let summary = "Does a known amount of work with a change of known size."
  static let milliseconds = Parameter(
    "milliseconds", default: 50.0, in: 1...10_000, "CPU time of all frames, in milliseconds.")
  static let speed = Parameter(
    "speed", default: 400_000, in: 100...1_000_000_000,
    "Steps per millisecond on this machine.")
  // With 200 frames the 99th percentile is about the third slowest frame, so one preempted frame does
  // not change it.
  static let frames = Parameter(
    "frames", default: 200, in: 1...10_000, "Frames that share the work.")
  static let memory = Parameter(
    "memory", default: 24, in: 0...4_000, "Additional memory in use, in MiB.")
  static let cpuPercent = Parameter(
    "cpu_percent", default: 0.0, in: 0...1_000, "Work that is added to every frame, in percent.")
  static let memoryPercent = Parameter(
    "memory_percent", default: 0.0, in: 0...1_000,
    "Memory that is added to the process, in percent.")
  static let frameDelay = Parameter(
    "frame_delay", default: 0.0, in: 0...10_000, "Milliseconds that are added to delayed frames.")
  static let delayedFrames = Parameter(
    "delayed_frames", default: 3.0, in: 0...100, "Delayed frames, in percent.")
  static let parameters: [any WorkloadParameter] = [
    milliseconds, speed, frames, memory, cpuPercent, memoryPercent, frameDelay, delayedFrames,
  ]

  private let plan: SelftestPlan
  /// The memory that the harness measures; it is not used otherwise.
  private let memory: [UInt8]
  private var state: UInt64

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    plan = SelftestPlan(parameters)
    // The memory is written before the measured phase, because a fresh page costs as much as
    // thousands of steps.
    let base = parameters[Self.memory] << 20
    let own = try ProcessMemory.now().unshared + base
    let added = Double(own) * parameters[Self.memoryPercent] / 100
    memory = [UInt8](repeating: 1, count: base + Int(added))
    state = context.seed | 1
  }

  func measure(_ context: MeasurementContext) throws {
    var made = 0
    FrameClock(refresh: 120, paced: false).animate("work", while: { _ in made < plan.frames }) {
      _ in
      state = Self.stir(state, plan.steps(ofFrame: made))
      made += 1
    }
    // The optimiser would remove work whose result is not used.
    precondition(state != 0 && memory.last != 0, "xorshift never yields zero")
  }

  /// Advances a xorshift generator by a number of steps (Marsaglia 2003,
  /// doi:10.18637/jss.v008.i14).
  @inline(never)
  static func stir(_ number: UInt64, _ steps: Int) -> UInt64 {
    var x = number
    for _ in 0..<steps {
      x ^= x << 13
      x ^= x >> 7
      x ^= x << 17
    }
    return x
  }
}
