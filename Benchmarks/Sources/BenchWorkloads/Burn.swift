internal import Glibc
internal import PerfWorkload
internal import Synchronization

/// Keeps threads busy for a fixed amount of work or a fixed time.
final class Burn: Workload {
  static let name = "bench.burn"
  static let summary = "Runs busy threads in an optimised Swift loop with deep stacks."
  static let iterations = Parameter(
    "iterations", default: 4000, in: 1...100_000_000, "Units of work per thread.")
  static let seconds = Parameter(
    "seconds", default: 0.0, in: 0...3600,
    "Seconds to work, instead of a number of iterations; 0 uses iterations.")
  static let threads = Parameter(
    "threads", default: 1, in: 1...64, "Busy threads, including the main thread.")
  static let depth = Parameter(
    "depth", default: 30, in: 0...500, "Depth of the stack from the loop to its innermost function."
  )
  static let parameters: [any WorkloadParameter] = [iterations, seconds, threads, depth]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration(
      "bench.units", unit: .count, direction: .higher, "Units of work of all threads.")
  ]

  private let iterations: Int
  private let nanoseconds: UInt64
  private let threads: Int
  private let work: Work
  private let units = Atomic(0)
  private let digest = Atomic<UInt64>(0)

  init(_ context: PreparationContext) throws {
    iterations = context[Self.iterations]
    nanoseconds = UInt64(context[Self.seconds] * 1e9)
    threads = context[Self.threads]
    work = Work(depth: context[Self.depth])
  }

  func measure(_ context: MeasurementContext) throws {
    var others: [pthread_t] = []
    for _ in 1..<max(1, threads) {
      var thread = pthread_t()
      let burn = Unmanaged.passRetained(self)
      let code = pthread_create(
        &thread, nil,
        { burn in
          if let burn { Unmanaged<Burn>.fromOpaque(burn).takeRetainedValue().loop() }
          return nil
        }, burn.toOpaque())
      guard code == 0 else {
        burn.release()
        throw BenchError.noThread(code: code)
      }
      others.append(thread)
    }
    loop()
    for thread in others { pthread_join(thread, nil) }
    context.report("bench.units", units.load(ordering: .relaxed))
  }

  private func loop() {
    let end = nanoseconds == 0 ? UInt64.max : monotonicNanoseconds() + nanoseconds
    var done = 0
    var result: UInt64 = 0
    while nanoseconds == 0 ? done < iterations : monotonicNanoseconds() < end {
      result ^= work.unit(UInt64(done))
      done += 1
    }
    units.add(done, ordering: .relaxed)
    // The optimiser would remove work whose result is not used.
    digest.bitwiseXor(result, ordering: .relaxed)
  }
}
