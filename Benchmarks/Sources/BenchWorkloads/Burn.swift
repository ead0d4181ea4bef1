internal import Glibc
internal import PerfWorkload
internal import Synchronization

/// Busy threads that do a fixed amount of work, or work for a fixed time.
final class Burn: Workload {
  static let name = "bench.burn"
  static let summary = "Busy threads in an optimised Swift loop with deep stacks."
  static let parameters: [ParameterDeclaration] = [
    .int("iterations", default: 4000, in: 1...100_000_000, "Units of work of each thread."),
    .double(
      "seconds", default: 0, in: 0...3600,
      "Works so long instead, whatever it gets done; 0 counts iterations."),
    .int("threads", default: 1, in: 1...64, "Busy threads; one of them is the main thread."),
    .int("depth", default: 30, in: 0...500, "Calls from the loop to its innermost function."),
  ]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration(
      "bench.units", unit: .count, direction: .higher, "Units of work done by all threads.")
  ]

  private let iterations: Int
  private let nanoseconds: UInt64
  private let threads: Int
  private let work: Work
  private let units = Atomic(0)
  private let digest = Atomic<UInt64>(0)

  init(_ context: PreparationContext) throws {
    iterations = try context.parameters.int("iterations")
    nanoseconds = UInt64(try context.parameters.double("seconds") * 1e9)
    threads = try context.parameters.int("threads")
    work = Work(depth: try context.parameters.int("depth"))
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
    // The work must not be for nothing, or the optimiser leaves it out.
    digest.bitwiseXor(result, ordering: .relaxed)
  }
}
