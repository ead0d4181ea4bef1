internal import CPerfFormat
internal import Glibc

extension WorkerMessage.Usage {
  /// Reads the clocks and counts of this process.
  static func now() -> Self {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    var allocations: UInt64 = 0
    var allocated: UInt64 = 0
    let isCounted = perf_mark_allocations(&allocations, &allocated) != 0
    return Self(
      wall: Clock.monotonic(), cpu: Clock.read(CLOCK_PROCESS_CPUTIME_ID),
      user: nanoseconds(usage.ru_utime), system: nanoseconds(usage.ru_stime),
      allocations: isCounted ? allocations : nil, allocated: isCounted ? allocated : nil)
  }

  private static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
  }
}

extension Hello {
  /// Describes a suite and the build of this process.
  init(_ suite: WorkloadSuite) {
    self.init(
      suite: suite.name, build: .current,
      workloads: suite.workloads.map { workload in
        Workload(
          name: workload.name, summary: workload.summary, startsAtLaunch: workload.startsAtLaunch,
          parameters: workload.parameters.map(\.declaration.wire),
          counters: workload.counters.map(\.wire))
      })
  }
}

extension Hello.Build {
  /// The build of this process.
  fileprivate static var current: Self {
    Self(configuration: configuration, compiler: compilerVersion)
  }

  private static var configuration: String {
    #if DEBUG
    "debug"
    #else
    "release"
    #endif
  }

  private static var compilerVersion: String {
    #if compiler(>=6.4)
    "6.4 or later"
    #elseif compiler(>=6.3.2)
    "6.3.2 or later"
    #elseif compiler(>=6.3.1)
    "6.3.1"
    #elseif compiler(>=6.3)
    "6.3"
    #else
    "before 6.3"
    #endif
  }
}
