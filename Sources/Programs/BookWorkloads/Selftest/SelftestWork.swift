internal import PerfWorkload

/// Work of a known amount in equal frames, to which a known amount can be added: what `perfkit
/// selftest` measures.
///
/// Whatever is added is real work: more steps, more pages that are written, steps in some frames.
/// So it reaches the metrics by the same way as any other change of a program.
final class SelftestWork: Workload {
  static let name = "selftest.work"
  static let summary = "Work of a known amount, with a change of known size in it."
  static let parameters: [ParameterDeclaration] = [
    .double("milliseconds", default: 50, in: 1...10_000, "CPU time that the frames take together."),
    .int(
      "speed", default: 400_000, in: 100...1_000_000_000,
      "Steps of the work that take a millisecond on this machine."),
    // Of 200 frames the 99th percentile is about the third slowest: one that was preempted is not seen.
    .int("frames", default: 200, in: 1...10_000, "Frames among which the work is dealt out."),
    .int("memory", default: 24, in: 0...4_000, "Memory in use besides the process's own, in MiB."),
    .double("cpu_percent", default: 0, in: 0...1_000, "Work that is added to all frames alike."),
    .double("memory_percent", default: 0, in: 0...1_000, "Memory that is added to all there is."),
    .double("frame_delay", default: 0, in: 0...10_000, "Milliseconds added to some frames."),
    .double("delayed_frames", default: 3, in: 0...100, "How many of 100 frames that are."),
  ]

  private let plan: SelftestPlan
  /// Held, not used: it is there to be counted.
  private let memory: [UInt8]
  private var state: UInt64

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    plan = try SelftestPlan(parameters)
    // Written before the measured phase: a fresh page costs as much time as thousands of steps.
    let base = try parameters.int("memory") << 20
    let own = try ProcessMemory.now().unshared + base
    let added = Double(own) * (try parameters.double("memory_percent")) / 100
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
    // The work must not be for nothing, or the optimiser leaves it out.
    precondition(state != 0 && memory.last != 0, "a number that is stirred is never zero")
  }

  /// Stirs a number so many times (xorshift: Marsaglia 2003, doi:10.18637/jss.v008.i14).
  @inline(never)
  private static func stir(_ number: UInt64, _ steps: Int) -> UInt64 {
    var x = number
    for _ in 0..<steps {
      x ^= x << 13
      x ^= x >> 7
      x ^= x << 17
    }
    return x
  }
}
