/// The names of the metrics that the harness itself computes; `MetricCatalog.standard` defines them.
public enum MetricName {
  // MARK: Frames

  /// Hitch time per animated second, from ideal refresh slots.
  public static let frameHitchTimeRatio = "frame.hitch_time_ratio"
  /// Hitch time per animated second, from wake-up times of the clock.
  public static let frameHitchTimeRatioWall = "frame.hitch_time_ratio.wall"
  /// The number of frames with hitch time.
  public static let frameHitchCount = "frame.hitch_count"
  /// The longest hitch.
  public static let frameHitchMax = "frame.hitch_max"
  /// The number of refreshes without a new frame.
  public static let frameDropped = "frame.dropped"
  /// Presented frames per animated second.
  public static let frameRate = "frame.rate"
  /// The number of frames.
  public static let frameCount = "frame.count"
  /// The number of frames that cost more than two refresh periods.
  public static let frameJankCount = "frame.jank_count"
  /// The most missed refreshes in one window of 64 refreshes.
  public static let frameMissedMax64 = "frame.missed_max_64"
  /// The least time to save so that no frame misses its refresh.
  public static let frameJankBudget = "frame.jank_budget"
  /// The number of frames presented more than 10 ms after the previous frame.
  public static let frameSeedDrops = "frame.seed_drops"
  /// The stem of the percentiles of a frame's ready time minus its refresh.
  public static let frameOverrun = "frame.overrun"
  /// The stem of the percentiles of a frame's wall time.
  public static let frameCost = "frame.cost"
  /// The stem of the percentiles of a frame's CPU time.
  public static let frameCPU = "frame.cpu"
  /// The time in which the frame thread was ready but had no CPU.
  public static let frameRunDelay = "frame.run_delay"
  /// The stem of the percentiles of the pacer's wake-up lateness.
  public static let pacerLateness = "pacer.lateness"

  // MARK: Startup

  /// Process start to the first picture.
  public static let startupInitialDisplay = "startup.initial_display"
  /// Process start to the first complete picture.
  public static let startupFullDisplay = "startup.full_display"

  // MARK: Time

  /// Wall time of the measured phase.
  public static let wall = "wall"
  /// CPU time of the process.
  public static let cpuTotal = "cpu.total"
  /// CPU time in user mode.
  public static let cpuUser = "cpu.user"
  /// CPU time in the kernel.
  public static let cpuSystem = "cpu.system"

  // MARK: Counted work

  /// Executed instructions of all threads in user mode.
  public static let workInstructions = "work.instructions"
  /// The number of function calls.
  public static let workCalls = "work.calls"
  /// Misses of the simulated first data cache, reads and writes.
  public static let workDataMisses = "work.data_misses"
  /// Instructions plus penalties for simulated misses.
  public static let workEstimatedCycles = "work.estimated_cycles"
  /// The names of all counted metrics.
  public static let work = [workInstructions, workCalls, workDataMisses, workEstimatedCycles]

  // MARK: Memory

  /// The highest resident memory.
  public static let rssPeak = "rss.peak"
  /// The mean resident memory.
  public static let rssMean = "rss.mean"
  /// The resident memory at the end.
  public static let rssEnd = "rss.end"
  /// The proportional memory at the end.
  public static let pssEnd = "pss.end"
  /// The number of allocations.
  public static let allocCount = "alloc.count"
  /// The allocated bytes.
  public static let allocBytes = "alloc.bytes"

  // MARK: Benchmarks of package-benchmark

  /// The wall time of one operation of a benchmark.
  public static let benchmarkTime = "benchmark.time"
  /// The allocations of one operation of a benchmark.
  public static let benchmarkAllocations = "benchmark.allocations"
  /// The measured iterations of a benchmark.
  public static let benchmarkIterations = "benchmark.iterations"

  // MARK: Kernel and machine

  /// The number of page faults without input.
  public static let faultsMinor = "faults.minor"
  /// The number of page faults with input.
  public static let faultsMajor = "faults.major"
  /// The number of context switches by waiting.
  public static let switchesVoluntary = "switches.voluntary"
  /// The number of context switches by preemption.
  public static let switchesInvoluntary = "switches.involuntary"
  /// Bytes read from storage.
  public static let ioRead = "io.read"
  /// Bytes written to storage.
  public static let ioWrite = "io.write"
  /// The machine's pressure stall time for CPUs.
  public static let psiCPU = "psi.cpu"
  /// The machine's pressure stall time for memory.
  public static let psiMemory = "psi.memory"
  /// The time over which `psi.cpu` and `psi.memory` were counted.
  public static let psiWindow = "psi.window"
  /// CPU time of a loop of dependent steps right before a launch.
  public static let paceCPU = "pace.cpu"
  /// CPU time of a loop of independent look-ups right before a launch.
  public static let paceLookups = "pace.lookups"
  /// The time in which threads were ready but had no CPU.
  public static let runDelay = "run_delay"
  /// The time over which `run_delay` and `frame.run_delay` were counted.
  public static let runDelayWindow = "run_delay.window"
  /// CPU time that the host gave to other machines.
  public static let steal = "steal"
  /// The time over which `steal` was counted.
  public static let stealWindow = "steal.window"
  /// CPU time of all programs on the machine without PerfKit.
  public static let machineCPU = "machine.cpu"
  /// The metrics of the CPU's pace, in the order in which a launch reports them.
  public static let paces = [paceCPU, paceLookups]

  // MARK: Cache

  /// The share of look-ups answered from memory.
  public static let cacheHitRatio = "cache.hit_ratio"
  /// The number of look-ups answered from memory.
  public static let cacheHits = "cache.hits"
  /// The number of look-ups not answered from memory.
  public static let cacheMisses = "cache.misses"
  /// The number of objects evicted by a limit.
  public static let cacheEvictions = "cache.evictions"
  /// The bytes held at the end.
  public static let cacheBytes = "cache.bytes"
  /// The number of objects held at the end.
  public static let cacheObjects = "cache.objects"

  // MARK: Pressure

  /// Hitch time of frames made while memory was reclaimed.
  public static let pressureReclaimHitchTime = "pressure.reclaim_hitch_time"
  /// The share of launches that crashed or were killed.
  public static let crashRate = "crash.rate"

  // MARK: Families

  /// Returns the name of a percentile from 1 to 99, such as `frame.cost.p99`.
  public static func percentile(_ percent: Int, of stem: String) -> String {
    "\(stem).p\(percent)"
  }

  /// Returns whether a metric is a wall or CPU time of the whole measured phase.
  public static func isRunTime(_ name: String) -> Bool { name == wall || name.hasPrefix("cpu.") }

  /// Returns whether a metric is a resident or proportional size of the process.
  public static func isMemorySize(_ name: String) -> Bool {
    name.hasPrefix("rss.") || name.hasPrefix("pss.")
  }
}
