internal import PerfWorkload

/// A workload that throws.
struct Fail: Workload {
  static let name = "bench.fail"
  static let summary = "Throws an error in a stage."
  static let parameters: [ParameterDeclaration] = [
    .choice("stage", default: Stage.measure, "Where it throws.")
  ]

  private let stage: Stage

  static func setup(_ context: SetupContext) throws -> SetupResult {
    context.progress("waiting for the failure", done: 1, total: 2)
    if try context.parameters.choice("stage") == Stage.setup {
      throw BenchError.asked(stage: .setup)
    }
    return SetupResult(notes: ["bench": "made nothing"])
  }

  init(_ context: PreparationContext) throws {
    stage = try context.parameters.choice("stage")
    if stage == .prepare { throw BenchError.asked(stage: .prepare) }
  }

  func measure(_ context: MeasurementContext) throws {
    context.warn("bench.doomed", "This launch is going to fail.", remedy: "Choose another stage.")
    Work.forAWhile()
    if stage == .measure { throw BenchError.asked(stage: .measure) }
  }
}
