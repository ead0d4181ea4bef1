internal import PerfWorkload

/// A workload that throws.
struct Fail: Workload {
  static let name = "bench.fail"
  static let summary = "Throws an error in a stage."
  static let stage = Parameter("stage", default: Stage.measure, "Stage that throws the error.")
  static let parameters: [any WorkloadParameter] = [stage]

  private let stage: Stage

  static func setup(_ context: SetupContext) throws -> SetupResult {
    context.progress("waiting for the failure", done: 1, total: 2)
    if context[Self.stage] == .setup {
      throw BenchError.asked(stage: .setup)
    }
    return SetupResult(notes: ["bench": "made nothing"])
  }

  init(_ context: PreparationContext) throws {
    stage = context[Self.stage]
    if stage == .prepare { throw BenchError.asked(stage: .prepare) }
  }

  func measure(_ context: MeasurementContext) throws {
    context.warn(
      code: "bench.doomed", message: "This launch will fail.", remedy: "Choose another stage.")
    Work.forAWhile()
    if stage == .measure { throw BenchError.asked(stage: .measure) }
  }
}
