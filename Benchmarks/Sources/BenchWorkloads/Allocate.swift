internal import PerfWorkload

/// Allocates and frees small objects of three sizes, and a large block at intervals.
final class Allocate: Workload {
  static let name = "bench.allocate"
  static let summary = "Allocates small objects in one function and large blocks in another."
  static let rounds = Parameter(
    "rounds", default: 10_000_000, in: 1...1_000_000_000,
    "Rounds; each allocates three small objects.")
  static let interval = Parameter(
    "interval", default: 600, in: 1...1_000_000_000, "Rounds between two large blocks.")
  static let parameters: [any WorkloadParameter] = [rounds, interval]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration(
      "bench.large", unit: .bytes, direction: .neutral, isDeterministic: true,
      "Total size of the large blocks."),
    CounterDeclaration(
      "bench.fastest", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Time of the fastest 1 % of the rounds."),
  ]

  /// The size of a large block, in bytes.
  static let largeBytes = 65_536

  private let rounds: Int
  private let interval: Int
  /// The live objects; without them the optimiser would keep the objects on the stack.
  private var objects: [Small?] = Array(repeating: nil, count: 64)

  init(_ context: PreparationContext) throws {
    rounds = context[Self.rounds]
    interval = context[Self.interval]
  }

  func measure(_ context: MeasurementContext) throws {
    let share = max(1, rounds / 100)
    var blocks = 0
    var fastest = UInt64.max
    var began = monotonicNanoseconds()
    for round in 0..<rounds {
      allocateSmall(round)
      if round % interval == 0 {
        allocateLarge()
        blocks += 1
      }
      if (round + 1) % share == 0 {
        let now = monotonicNanoseconds()
        fastest = min(fastest, now - began)
        began = now
      }
    }
    context.report("bench.large", blocks * Self.largeBytes)
    context.report("bench.fastest", Double(fastest))
  }

  @inline(never) private func allocateSmall(_ round: Int) {
    let place = round * 3 % 63
    objects[place] = Small(round)
    objects[place + 1] = Medium(round)
    objects[place + 2] = Larger(round)
  }

  @inline(never) private func allocateLarge() {
    let block = UnsafeMutableRawPointer.allocate(byteCount: Self.largeBytes, alignment: 16)
    block.storeBytes(of: 1, as: UInt8.self)
    block.deallocate()
  }
}

// With the two header words of an object, the sizes are 24, 64 and 128 bytes.

private class Small {
  let number: Int
  init(_ number: Int) { self.number = number }
}

private final class Medium: Small {
  var more = (0, 0, 0, 0, 0)
}

private final class Larger: Small {
  var more = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}
