import Foundation
import Synchronization

@testable import PerfWorkload

/// Does what its parameter says.
final class ScriptedWorkload: Workload {
  enum Action: String, CaseIterable {
    case nothing
    case failInSetup
    case failInPrepare
    case failInMeasure
    case undeclaredCounter
    case badCounter
    case waitForPressure
  }

  struct Failure: Error, CustomStringConvertible {
    let description = "as asked"
  }

  static let name = "test"
  static let summary = "Does what it is told."
  static let parameters: [ParameterDeclaration] = [
    .choice("action", default: Action.nothing, "What it does."),
    .int("size", default: 2, in: 1...9, "A number."),
    .double("speed", default: 0.5, in: 0...1, "A number."),
    .bool("cold", default: false, "A truth value."),
  ]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration("test.ratio", unit: .ratio, direction: .higher, "A ratio."),
    CounterDeclaration(
      "test.bytes", unit: .bytes, direction: .lower, scale: .ratio, isDeterministic: true,
      "A size."),
  ]

  private let action: Action

  static func setup(_ context: SetupContext) throws -> SetupResult {
    context.progress("things", done: 1, total: 2)
    context.warn("test.setup", "a warning", remedy: "none")
    if try context.parameters.choice("action") == Action.failInSetup { throw Failure() }
    return SetupResult(
      files: ["\(context.cacheDirectory)/file"], notes: ["seed": "\(context.seed)"])
  }

  init(_ context: PreparationContext) throws {
    action = try context.parameters.choice("action")
    if action == .failInPrepare { throw Failure() }
    context.warn(
      "test.prepare", "\(context.iteration) \(context.scratchDirectory)", remedy: "none")
  }

  func measure(_ context: MeasurementContext) throws {
    context.warn("test.measure", "a warning", remedy: "none")
    switch action {
    case .failInMeasure: throw Failure()
    case .undeclaredCounter: context.report("test.unknown", 1)
    case .badCounter: context.report("test.ratio", .infinity)
    case .waitForPressure:
      let arrived = DispatchSemaphore(value: 0)
      context.onPressure { level, fraction in
        if level == .urgent {
          context.report("test.ratio", fraction)
          arrived.signal()
        }
      }
      arrived.wait()
    default:
      context.report("test.ratio", 0.25)
      context.report("test.ratio", 0.75)
      context.report("test.bytes", 4096)
    }
  }
}

/// Runs until the process ends.
struct EndlessWorkload: Workload {
  static let name = "endless"
  static let summary = "Never ends."
  static let startsAtLaunch = true

  init(_ context: PreparationContext) {}

  func measure(_ context: MeasurementContext) throws {
    DispatchSemaphore(value: 0).wait()
  }
}
