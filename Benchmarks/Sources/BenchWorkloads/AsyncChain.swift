internal import Dispatch
internal import PerfWorkload

/// A chain of async functions of which the innermost does nearly all of the work.
///
/// It gives its thread up again and again, so that what a stack shows of its callers is what is known
/// of them when they wait, not what happens to be below it.
final class AsyncChain: Workload {
  static let name = "bench.async"
  static let summary = "Async functions outer, mid and leaf, with all of the work in leaf."
  static let parameters: [ParameterDeclaration] = [
    .int("rounds", default: 400, in: 1...1_000_000, "How often leaf works and then yields.")
  ]

  private let rounds: Int

  init(_ context: PreparationContext) throws {
    rounds = try context.parameters.int("rounds")
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

// What each does with the result keeps the call from being a jump.

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
