internal import Glibc
internal import PerfWorkload

/// A workload that kills its process.
struct Crash: Workload {
  static let name = "bench.crash"
  static let summary = "Works for a while, then dies of a signal."
  static let parameters: [ParameterDeclaration] = [
    .int("signal", default: 11, in: 1...31, "The signal it dies of; 11 is SIGSEGV."),
    .choice("stage", default: Stage.measure, "Where it dies."),
  ]

  private let signal: Int32
  private let stage: Stage

  static func setup(_ context: SetupContext) throws -> SetupResult {
    if try context.parameters.choice("stage") == Stage.setup {
      die(Int32(try context.parameters.int("signal")))
    }
    return SetupResult()
  }

  init(_ context: PreparationContext) throws {
    signal = Int32(try context.parameters.int("signal"))
    stage = try context.parameters.choice("stage")
    if stage == .prepare { Self.die(signal) }
  }

  func measure(_ context: MeasurementContext) throws {
    Work.forAWhile()
    if stage == .measure { Self.die(signal) }
  }

  private static func die(_ number: Int32) {
    // Swift's runtime or a test's parent may have changed what the signal does.
    _ = Glibc.signal(number, SIG_DFL)
    raise(number)
  }
}
