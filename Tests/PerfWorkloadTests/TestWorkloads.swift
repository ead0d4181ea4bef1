import Foundation
import Synchronization

@testable import PerfWorkload

/// A workload that does what its parameter `action` says.
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
  static let summary = "Does one of several actions."
  static let action = Parameter("action", default: Action.nothing, "The action.")
  static let size = Parameter("size", default: 2, in: 1...9, "A number.")
  static let speed = Parameter("speed", default: 0.5, in: 0...1, "A number.")
  static let cold = Parameter("cold", default: false, "A truth value.")
  static let parameters: [any WorkloadParameter] = [action, size, speed, cold]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration("test.ratio", unit: .ratio, direction: .higher, "A ratio."),
    CounterDeclaration(
      "test.bytes", unit: .bytes, direction: .lower, scale: .ratio, isDeterministic: true,
      "A size."),
  ]

  private let action: Action

  static func setup(_ context: SetupContext) throws -> SetupResult {
    context.progress("things", done: 1, total: 2)
    context.warn(code: "test.setup", message: "a warning", remedy: "none")
    if context[Self.action] == .failInSetup { throw Failure() }
    return SetupResult(
      files: ["\(context.cacheDirectory)/file"], notes: ["seed": "\(context.seed)"])
  }

  init(_ context: PreparationContext) throws {
    action = context[Self.action]
    if action == .failInPrepare { throw Failure() }
    context.warn(
      code: "test.prepare", message: "\(context.launch) \(context.scratchDirectory)",
      remedy: "none")
  }

  func measure(_ context: MeasurementContext) throws {
    context.warn(code: "test.measure", message: "a warning", remedy: "none")
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
      context.report("test.bytes", 2048 * context[Self.size])
    }
  }
}

/// A workload whose measured phase ends only with its process.
struct EndlessWorkload: Workload {
  static let name = "endless"
  static let summary = "Never ends."
  static let startsAtLaunch = true

  init(_ context: PreparationContext) {}

  func measure(_ context: MeasurementContext) throws {
    DispatchSemaphore(value: 0).wait()
  }
}

/// An asynchronous workload that suspends, hops to another actor and can throw.
struct SuspendingWorkload: AsyncWorkload {
  static let name = "suspending"
  static let summary = "Suspends."
  static let rounds = Parameter("rounds", default: 3, in: 0...100, "Suspensions; 0 throws.")
  static let parameters: [any WorkloadParameter] = [rounds]
  static let counters = [
    CounterDeclaration("test.rounds", unit: .count, direction: .neutral, "Suspensions.")
  ]

  private actor Tally {
    var count = 0
    func add() { count += 1 }
  }

  private var total = 0

  init(_ context: PreparationContext) {}

  mutating func measure(_ context: MeasurementContext) async throws {
    let rounds = context[Self.rounds]
    guard rounds > 0 else { throw ScriptedWorkload.Failure() }
    let tally = Tally()
    total = await Phase("suspend").measure {
      for _ in 0..<rounds {
        await Task.yield()
        await tally.add()
        await MainActor.run {}
      }
      return await tally.count
    }
    context.report("test.rounds", total)
  }
}
