internal import Glibc
internal import PerfWorkload
internal import Synchronization

/// Runs a thread that sends signals at a fixed rate, and measures its CPU time.
///
/// The CPU time is a lower bound for every sampler that a timer and signals drive.
final class Tick: Workload {
  static let name = "bench.tick"
  static let summary = "Runs a busy thread and a second thread that sends it signals."
  static let rate = Parameter("rate", default: 1000, in: 1...20_000, "Signals per second.")
  static let seconds = Parameter("seconds", default: 5.0, in: 0.01...3600, "Duration, in seconds.")
  static let parameters: [any WorkloadParameter] = [rate, seconds]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration(
      "bench.tick.cpu", unit: .ratio, direction: .lower,
      "Share of a CPU that the sending thread uses.")
  ]

  private let rate: Int
  private let seconds: Double

  private final class Ticks: Sendable {
    let interval: UInt64
    let count: UInt64
    let receiver: pthread_t
    let cpu = Atomic(UInt64(0))

    init(rate: Int, seconds: Double, receiver: pthread_t) {
      interval = 1_000_000_000 / UInt64(rate)
      count = UInt64(seconds * Double(rate))
      self.receiver = receiver
    }

    func tick() {
      let start = monotonicNanoseconds()
      for tick in 1...max(1, count) {
        let due = start + tick * interval
        var time = timespec(
          tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
        pthread_kill(receiver, SIGURG)
      }
      var used = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
      cpu.store(UInt64(used.tv_sec) * 1_000_000_000 + UInt64(used.tv_nsec), ordering: .releasing)
    }
  }

  init(_ context: PreparationContext) throws {
    rate = context[Self.rate]
    seconds = context[Self.seconds]
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    action.sa_flags = SA_RESTART
    sigaction(SIGURG, &action, nil)
  }

  func measure(_ context: MeasurementContext) throws {
    let ticks = Ticks(rate: rate, seconds: seconds, receiver: pthread_self())
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(ticks)
    let code = pthread_create(
      &thread, nil,
      { ticks in
        if let ticks { Unmanaged<Ticks>.fromOpaque(ticks).takeRetainedValue().tick() }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      throw BenchError.noThread(code: code)
    }
    let work = Work(depth: 30)
    let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
    var round: UInt64 = 0
    while monotonicNanoseconds() < end { round &+= work.unit(round) | 1 }
    pthread_join(thread, nil)
    context.report(
      "bench.tick.cpu", Double(ticks.cpu.load(ordering: .acquiring)) / (seconds * 1e9))
  }
}
