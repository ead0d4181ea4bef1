internal import Dispatch
internal import PerfWorkload

/// A chain of asynchronous functions whose innermost function does nearly all of the work.
///
/// The innermost function yields its thread repeatedly. Its callers are then not on the stack of the
/// thread, so a profile shows them only if the profiler follows asynchronous calls.
final class AsyncChain: Workload {
  static let name = "bench.async"
  static let summary = "Calls the async functions outer, mid and leaf; leaf does the work."
  static let rounds = Parameter(
    "rounds", default: 400, in: 1...1_000_000, "Times that leaf works and then yields.")
  static let parameters: [any WorkloadParameter] = [rounds]

  private let rounds: Int

  init(_ context: PreparationContext) throws {
    rounds = context[Self.rounds]
  }

  func measure(_ context: MeasurementContext) throws {
    let rounds = rounds
    let done = DispatchSemaphore(value: 0)
    Task.detached { () async -> Void in
      _ = await outer(rounds)
      done.signal()
    }
    done.wait()
  }
}

// Each function changes the result of its callee, so that no call becomes a jump.

@inline(never)
private func outer(_ rounds: Int) async -> UInt64 {
  await mid(rounds) &+ 1
}

@inline(never)
private func mid(_ rounds: Int) async -> UInt64 {
  await leaf(rounds) &+ 2
}

@inline(never)
private func leaf(_ rounds: Int) async -> UInt64 {
  var digest = Digest(state: 88_172_645_463_325_252)
  for _ in 0..<rounds {
    _ = digest.churn(500_000)
    await Task.yield()
  }
  return digest.state
}
