extension MetricCatalog {
  /// The standard metrics, in the order in which reports list them.
  public static let standardDefinitions: [MetricDefinition] =
    frameMetrics + frameTimes + timeMetrics + workMetrics + memoryMetrics + kernelMetrics
    + cacheMetrics

  private static func row(
    _ name: String, _ dimension: Dimension, _ direction: Direction, _ summary: String,
    scale: MetricScale = .difference, isDeterministic: Bool = false
  ) -> MetricDefinition {
    MetricDefinition(
      name: name, dimension: dimension, direction: direction, scale: scale,
      isDeterministic: isDeterministic, summary: summary)
  }

  private static func percentiles(
    _ stem: String, _ meaning: String, scale: MetricScale = .difference
  ) -> [MetricDefinition] {
    [50, 90, 95, 99].map { percent in
      row(
        MetricName.percentile(percent, of: stem), .time, .lower,
        "\(meaning), percentile \(percent) of the launch's frames.", scale: scale)
    }
  }

  private static let frameMetrics: [MetricDefinition] = [
    row(
      MetricName.frameHitchTimeRatio, .timeRatio, .lower,
      "Hitch time per animated second, from ideal slots and measured costs (Apple: scrolling is "
        + "good below 5 ms/s, poor above 10)."),
    row(
      MetricName.frameHitchTimeRatioWall, .timeRatio, .lower,
      "Hitch time ratio from real wake-up times; it contains the machine's noise."),
    row(MetricName.frameHitchCount, .count, .lower, "Frames with hitch time."),
    row(MetricName.frameHitchMax, .time, .lower, "The longest hitch."),
    row(MetricName.frameDropped, .count, .lower, "Refreshes of animated time without a new frame."),
    row(MetricName.frameRate, .frequency, .higher, "Presented frames per animated second."),
    row(MetricName.frameCount, .count, .neutral, "Number of frames."),
    row(
      MetricName.frameJankCount, .count, .lower, "Frames that cost more than two refresh periods."),
    row(
      MetricName.frameMissedMax64, .count, .lower,
      "The most refreshes missed in one of the fixed windows of 64 refreshes."),
    row(
      MetricName.frameJankBudget, .time, .lower,
      "The least time to save in frames so that none misses its refresh."),
    row(
      MetricName.frameSeedDrops, .count, .lower,
      "Frames presented more than 10 ms after the previous one (the Epilogue case study's count)."),
  ]

  private static let frameTimes: [MetricDefinition] =
    percentiles(
      MetricName.frameOverrun, "Ready time of a frame minus its refresh, late if positive")
    + percentiles(MetricName.frameCost, "Wall time of a frame's work", scale: .ratio)
    + percentiles(MetricName.frameCPU, "Thread CPU time of a frame's work", scale: .ratio)
    + [
      row(
        MetricName.percentile(50, of: MetricName.pacerLateness), .time, .neutral,
        "Median lateness of the pacer's wake-ups."),
      row(
        MetricName.percentile(99, of: MetricName.pacerLateness), .time, .neutral,
        "99th percentile of the pacer's wake-up lateness: noise of the machine, never a hitch."),
      row(
        MetricName.frameRunDelay, .time, .neutral,
        "Time in which the frame thread was ready to run but had no CPU (schedstat)."),
    ]

  private static let timeMetrics: [MetricDefinition] = [
    (MetricName.startupInitialDisplay, "Process start to the first picture."),
    (MetricName.startupFullDisplay, "Process start to the first complete picture."),
    (MetricName.wall, "Wall time of the measured phase."),
    (
      MetricName.cpuTotal,
      "CPU time of the process without the sampler; for a command, with the children it waited for."
    ),
    (MetricName.cpuUser, "CPU time in user mode, scaled to cpu.total."),
    (MetricName.cpuSystem, "CPU time in the kernel, scaled to cpu.total."),
  ].map { row($0, .time, .lower, $1, scale: .ratio) }

  private static let workMetrics: [MetricDefinition] = [
    (
      MetricName.workInstructions,
      "Executed instructions of the measured phase in user mode, all threads, without child "
        + "processes (callgrind's Ir)."
    ),
    (
      MetricName.workCalls,
      "Function calls, and jumps to the first instruction of a function, of the measured phase."
    ),
    (
      MetricName.workDataMisses,
      "Misses of a simulated first data cache of 32 KiB (D1mr + D1mw; --cache-sim)."
    ),
    (
      MetricName.workEstimatedCycles,
      "KCachegrind's cycle estimation: Ir + 10 L1m + 100 LLm, with --branch-sim + 10 Bm. L1m and "
        + "LLm are misses of simulated caches, Bm mispredicted branches (--cache-sim)."
    ),
  ].map { row($0, .count, .lower, $1, scale: .ratio) }

  private static let memoryMetrics: [MetricDefinition] = [
    row(
      MetricName.rssPeak, .size, .lower,
      "Peak resident memory of the measured phase (VmHWM), without the capture segment; of a "
        + "command the peak of its largest process (ru_maxrss).",
      scale: .ratio),
    row(
      MetricName.rssMean, .size, .lower,
      "Mean resident memory of the measured phase, without the capture segment.", scale: .ratio),
    row(
      MetricName.rssEnd, .size, .lower,
      "Resident memory at the end of the measured phase, without the capture segment.",
      scale: .ratio),
    row(
      MetricName.pssEnd, .size, .lower,
      "Proportional anonymous and file memory at the end (Pss_Anon + Pss_File).", scale: .ratio),
    row(
      MetricName.allocCount, .count, .lower,
      "Allocations in the measured phase: malloc, calloc, realloc and the aligned functions "
        + "(--allocations).", isDeterministic: true),
    row(
      MetricName.allocBytes, .size, .lower, "Bytes requested by those allocations.",
      isDeterministic: true),
  ]

  private static let kernelMetrics: [MetricDefinition] = [
    row(MetricName.faultsMinor, .count, .lower, "Page faults without input."),
    row(MetricName.faultsMajor, .count, .lower, "Page faults that read from a disk."),
    row(MetricName.switchesVoluntary, .count, .lower, "Context switches by waiting."),
    row(MetricName.switchesInvoluntary, .count, .lower, "Context switches by preemption."),
    row(MetricName.ioRead, .size, .lower, "Bytes fetched from storage."),
    row(MetricName.ioWrite, .size, .lower, "Bytes sent to storage."),
    row(
      MetricName.psiCPU, .time, .neutral, "Time in which a task of the machine waited for a CPU."),
    row(
      MetricName.psiMemory, .time, .neutral,
      "Time in which a task of the machine waited for memory."),
    row(
      MetricName.psiWindow, .time, .neutral,
      "Time over which psi.cpu and psi.memory were counted."),
    row(
      MetricName.paceCPU, .time, .neutral,
      "CPU time of a fixed loop right before each launch of a pair: the CPU's pace.", scale: .ratio),
    row(
      MetricName.paceLookups, .time, .neutral,
      "CPU time of a loop of independent look-ups, which neighbours on the same core slow down.",
      scale: .ratio),
    row(MetricName.runDelay, .time, .neutral, "Time in which threads were ready but had no CPU."),
    row(
      MetricName.runDelayWindow, .time, .neutral,
      "Time over which run_delay and frame.run_delay were counted."),
    row(
      MetricName.steal, .time, .neutral,
      "CPU time that the host gave to other machines (whole machine, in kernel ticks)."),
    row(
      MetricName.stealWindow, .time, .neutral,
      "Time over which steal and machine.cpu were counted: the mean of the CPUs, in the same ticks."
    ),
    row(
      MetricName.machineCPU, .time, .neutral,
      "CPU time of all programs without PerfKit (whole machine, in kernel ticks)."),
  ]

  private static let cacheMetrics: [MetricDefinition] = [
    row(MetricName.cacheHitRatio, .ratio, .higher, "Share of look-ups answered from memory."),
    row(MetricName.cacheHits, .count, .higher, "Look-ups answered from memory."),
    row(MetricName.cacheMisses, .count, .lower, "Look-ups not answered from memory."),
    row(MetricName.cacheEvictions, .count, .lower, "Objects evicted by a limit."),
    row(MetricName.cacheBytes, .size, .lower, "Bytes held at the end."),
    row(MetricName.cacheObjects, .count, .neutral, "Objects held at the end."),
    row(
      MetricName.pressureReclaimHitchTime, .time, .lower,
      "Hitch time of frames made while memory was reclaimed."),
    row(
      MetricName.crashRate, .ratio, .lower,
      "Share of the measured launches that crashed or were killed."),
  ]
}
