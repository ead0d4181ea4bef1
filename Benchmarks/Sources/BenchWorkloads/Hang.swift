internal import Glibc
internal import PerfWorkload

/// A workload that never ends.
struct Hang: Workload {
  static let name = "bench.hang"
  static let summary = "Never finishes a stage."
  static let stage = Parameter("stage", default: Stage.measure, "Stage that never finishes.")
  static let busy = Parameter("busy", default: false, "Whether it uses the CPU instead of waiting.")
  static let parameters: [any WorkloadParameter] = [stage, busy]

  private let stage: Stage
  private let isBusy: Bool

  static func setup(_ context: SetupContext) throws -> SetupResult {
    if context[Self.stage] == .setup {
      hang(isBusy: context[Self.busy])
    }
    return SetupResult()
  }

  init(_ context: PreparationContext) throws {
    stage = context[Self.stage]
    isBusy = context[Self.busy]
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
