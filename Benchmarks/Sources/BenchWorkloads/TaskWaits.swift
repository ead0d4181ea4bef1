internal import Dispatch
internal import Glibc
internal import PerfWorkload

/// Suspends a task in three functions for 50, 30 and 20 % of the time.
final class TaskWaits: Workload {
  static let name = "bench.waits"
  static let summary =
    "Suspends a task on a continuation, a clock and a group, for 50, 30 and 20 %."
  static let rounds = Parameter(
    "rounds", default: 20, in: 1...100_000, "Times that the task waits for 50, 30 and 20 ms.")
  static let parameters: [any WorkloadParameter] = [rounds]
  /// The counters of the three functions.
  private static let names = ["continuation", "clock", "group"].map { "bench.waits.\($0)" }
  static let counters: [CounterDeclaration] = names.map {
    CounterDeclaration(
      $0, unit: .nanoseconds, direction: .neutral, "Time of the waits by the task's own clock.")
  }

  private let rounds: Int

  init(_ context: PreparationContext) throws {
    rounds = context[Self.rounds]
  }

  func measure(_ context: MeasurementContext) throws {
    let rounds = rounds
    let times = Times()
    let done = DispatchSemaphore(value: 0)
    Task.detached { () async -> Void in
      for _ in 0..<rounds {
        await times.add(waitForContinuation(), to: 0)
        await times.add(waitForClock(), to: 1)
        await times.add(waitForGroup(), to: 2)
      }
      done.signal()
    }
    done.wait()
    for (name, time) in zip(Self.names, times.all) { context.report(name, Double(time)) }
  }
}

/// The sums of three kinds of waits.
///
/// Safety of `@unchecked Sendable`: one task writes them before it signals that it is done.
private final class Times: @unchecked Sendable {
  private(set) var all: [UInt64] = [0, 0, 0]

  func add(_ time: UInt64, to index: Int) { all[index] += time }
}

@inline(never) private func waitForContinuation() async -> UInt64 {
  let began = monotonicNanoseconds()
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
      continuation.resume()
    }
  }
  return monotonicNanoseconds() - began
}

@inline(never) private func waitForClock() async -> UInt64 {
  let began = monotonicNanoseconds()
  try? await Task.sleep(nanoseconds: 30_000_000)
  return monotonicNanoseconds() - began
}

@inline(never) private func waitForGroup() async -> UInt64 {
  let began = monotonicNanoseconds()
  await withTaskGroup(of: Void.self) { group in
    // The child does not wait: it keeps its thread.
    group.addTask { usleep(20_000) }
    await group.waitForAll()
  }
  return monotonicNanoseconds() - began
}
