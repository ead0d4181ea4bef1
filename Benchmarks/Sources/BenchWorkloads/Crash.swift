internal import Glibc
internal import PerfWorkload

/// A workload that kills its process.
struct Crash: Workload {
  static let name = "bench.crash"
  static let summary = "Works for a while, then kills its process with a signal."
  static let signal = Parameter(
    "signal", default: 11, in: 1...31, "Number of the signal; 11 is SIGSEGV.")
  static let stage = Parameter("stage", default: Stage.measure, "Stage in which the process dies.")
  static let parameters: [any WorkloadParameter] = [signal, stage]

  private let signal: Int32
  private let stage: Stage

  static func setup(_ context: SetupContext) throws -> SetupResult {
    if context[Self.stage] == .setup {
      die(Int32(context[Self.signal]))
    }
    return SetupResult()
  }

  init(_ context: PreparationContext) throws {
    signal = Int32(context[Self.signal])
    stage = context[Self.stage]
    if stage == .prepare { Self.die(signal) }
  }

  func measure(_ context: MeasurementContext) throws {
    Work.forAWhile()
    if stage == .measure { Self.die(signal) }
  }

  private static func die(_ number: Int32) {
    // The Swift runtime or the parent process may have changed the signal's action.
    _ = Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}
