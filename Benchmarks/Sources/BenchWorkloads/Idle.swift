internal import Glibc
internal import PerfWorkload
internal import Synchronization

/// Runs one busy thread while many threads wait and count their interruptions.
final class Idle: Workload {
  static let name = "bench.idle"
  static let summary =
    "Runs one busy thread; half of the others wait, half wake up ten times a second."
  static let threads = Parameter("threads", default: 60, in: 2...900, "Waiting threads.")
  static let seconds = Parameter("seconds", default: 5.0, in: 0.01...3600, "Duration, in seconds.")
  static let parameters: [any WorkloadParameter] = [threads, seconds]
  static let counters: [CounterDeclaration] = [
    CounterDeclaration(
      "bench.interrupts.sleeping", unit: .count, direction: .lower,
      "EINTR errors in the threads that only wait."),
    CounterDeclaration(
      "bench.interrupts.waking", unit: .count, direction: .lower,
      "EINTR errors in the threads that wake up."),
  ]

  private let seconds: Double
  private let interrupts: [Interrupts]

  private final class Interrupts: Sendable {
    let count = Atomic(0)
    let isOver = Atomic(false)
    let timeout: Int32
    let pipe: Int32

    init(timeout: Int32, pipe: Int32) {
      self.timeout = timeout
      self.pipe = pipe
    }

    func wait() {
      while !isOver.load(ordering: .acquiring) {
        var descriptor = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        let ready = poll(&descriptor, 1, timeout)
        if ready < 0, errno == EINTR { count.add(1, ordering: .relaxed) }
        if ready > 0 { return }
      }
    }
  }

  /// The pipe on which all threads wait; closing it ends them.
  private let ends: (reading: Int32, writing: Int32)
  private var threads: [pthread_t] = []

  init(_ context: PreparationContext) throws {
    seconds = context[Self.seconds]
    var descriptors: [Int32] = [0, 0]
    guard pipe(&descriptors) == 0 else { throw BenchError.noThread(code: errno) }
    ends = (descriptors[0], descriptors[1])
    let reading = ends.reading
    interrupts = (0..<context[Self.threads]).map {
      Interrupts(timeout: $0 % 2 == 0 ? -1 : 100, pipe: reading)
    }
    for waiter in interrupts {
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { waiter in
          if let waiter { Unmanaged<Interrupts>.fromOpaque(waiter).takeRetainedValue().wait() }
          return nil
        }, Unmanaged.passRetained(waiter).toOpaque())
      guard code == 0 else { throw BenchError.noThread(code: code) }
      threads.append(thread)
    }
  }

  func measure(_ context: MeasurementContext) throws {
    let work = Work(depth: 30)
    let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
    var round: UInt64 = 0
    while monotonicNanoseconds() < end { round &+= work.unit(round) | 1 }
    for (name, remainder) in [("sleeping", 0), ("waking", 1)] {
      let counts = interrupts.enumerated().filter { $0.offset % 2 == remainder }
      context.report(
        "bench.interrupts.\(name)",
        counts.reduce(0) { $0 + $1.element.count.load(ordering: .relaxed) })
    }
    for waiter in interrupts { waiter.isOver.store(true, ordering: .releasing) }
    close(ends.writing)
    for thread in threads { pthread_join(thread, nil) }
  }
}
