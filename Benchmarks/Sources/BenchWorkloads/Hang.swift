internal import Glibc
internal import PerfWorkload

/// A workload that never ends.
struct Hang: Workload {
  static let name = "bench.hang"
  static let summary = "Never comes to the end of a stage."
  static let parameters: [ParameterDeclaration] = [
    .choice("stage", default: Stage.measure, "Where it hangs."),
    .bool("busy", default: false, "Whether it works meanwhile, or waits."),
  ]

  private let stage: Stage
  private let isBusy: Bool

  static func setup(_ context: SetupContext) throws -> SetupResult {
    if try context.parameters.choice("stage") == Stage.setup {
      hang(isBusy: try context.parameters.bool("busy"))
    }
    return SetupResult()
  }

  init(_ context: PreparationContext) throws {
    stage = try context.parameters.choice("stage")
    isBusy = try context.parameters.bool("busy")
    if stage == .prepare { Self.hang(isBusy: isBusy) }
  }

  func measure(_ context: MeasurementContext) throws {
    if stage == .measure { Self.hang(isBusy: isBusy) }
  }

  private static func hang(isBusy: Bool) -> Never {
    while true {
      if isBusy { Work.forAWhile() } else { pause() }
    }
  }
}
