extension MetricCatalog {
  /// The standard metrics, in the order in which reports list them.
  public static let standardDefinitions: [MetricDefinition] =
    frameMetrics + startupMetrics + timeMetrics + memoryMetrics + kernelMetrics + cacheMetrics
    + pressureMetrics

  private static func time(_ name: String, _ direction: Direction, _ summary: String)
    -> MetricDefinition
  {
    MetricDefinition(
      name: name, dimension: .time, direction: direction, scale: .ratio, summary: summary)
  }

  private static func difference(
    _ name: String, _ dimension: Dimension, _ direction: Direction, _ summary: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: name, dimension: dimension, direction: direction, scale: .difference, summary: summary)
  }

  private static let frameMetrics: [MetricDefinition] =
    [
      difference(
        MetricName.frameHitchTimeRatio, .timeRatio, .lower,
        "Hitch time per animated second, from ideal slots and measured costs (Apple: scrolling is "
          + "good below 5 ms/s, poor above 10)."),
      difference(
        MetricName.frameHitchTimeRatioWall, .timeRatio, .lower,
        "Hitch time ratio from real wake-up times; it contains the machine's noise."),
      difference(MetricName.frameHitchCount, .count, .lower, "Frames with hitch time."),
      difference(MetricName.frameHitchMax, .time, .lower, "The longest hitch."),
      difference(
        MetricName.frameDropped, .count, .lower, "Refreshes of animated time without a new frame."),
      difference(
        MetricName.frameRate, .frequency, .higher, "Presented frames per animated second."),
      difference(MetricName.frameCount, .count, .neutral, "Number of frames."),
      difference(
        MetricName.frameJankCount, .count, .lower,
        "Frames that cost more than two refresh periods."),
      difference(
        MetricName.frameMissedMax64, .count, .lower,
        "The most refreshes missed in one of the fixed windows of 64 refreshes."),
      difference(
        MetricName.frameJankBudget, .time, .lower,
        "The least time to save in frames so that none misses its refresh."),
      difference(
        MetricName.frameSeedDrops, .count, .lower,
        "Frames presented more than 10 ms after the previous one (the Epilogue case study's count)."
      ),
    ]
    + percentiles(
      MetricName.frameOverrun, "Ready time of a frame minus its refresh, late if positive")
    + percentiles(MetricName.frameCost, "Wall time of a frame's work", scale: .ratio)
    + percentiles(MetricName.frameCPU, "Thread CPU time of a frame's work", scale: .ratio)
    + [
      difference(
        MetricName.percentile(50, of: MetricName.pacerLateness), .time, .neutral,
        "Median lateness of the pacer's wake-ups."),
      difference(
        MetricName.percentile(99, of: MetricName.pacerLateness), .time, .neutral,
        "99th percentile of the pacer's wake-up lateness: noise of the machine, never a hitch."),
      difference(
        MetricName.frameRunDelay, .time, .neutral,
        "Time in which the frame thread was ready to run but had no CPU (schedstat)."),
    ]

  private static func percentiles(
    _ stem: String, _ meaning: String, scale: MetricScale = .difference
  ) -> [MetricDefinition] {
    [50, 90, 95, 99].map { percent in
      MetricDefinition(
        name: MetricName.percentile(percent, of: stem), dimension: .time, direction: .lower,
        scale: scale,
        summary: "\(meaning), percentile \(percent) of the launch's frames.")
    }
  }

  private static let startupMetrics: [MetricDefinition] = [
    time(MetricName.startupInitialDisplay, .lower, "Process start to the first picture."),
    time(MetricName.startupFullDisplay, .lower, "Process start to the first complete picture."),
  ]

  private static let timeMetrics: [MetricDefinition] = [
    time(MetricName.wall, .lower, "Wall time of the measured phase."),
    time(
      MetricName.cpuTotal, .lower,
      "CPU time of the process without the sampler; for a command, with the children it waited for."
    ),
    time(MetricName.cpuUser, .lower, "CPU time in user mode, scaled to cpu.total."),
    time(MetricName.cpuSystem, .lower, "CPU time in the kernel, scaled to cpu.total."),
  ]

  private static let memoryMetrics: [MetricDefinition] = [
    MetricDefinition(
      name: MetricName.rssPeak, dimension: .size, direction: .lower, scale: .ratio,
      summary: "Peak resident memory of the measured phase (VmHWM), without the capture segment."),
    MetricDefinition(
      name: MetricName.rssMean, dimension: .size, direction: .lower, scale: .ratio,
      summary: "Mean resident memory of the measured phase, without the capture segment."),
    MetricDefinition(
      name: MetricName.rssEnd, dimension: .size, direction: .lower, scale: .ratio,
      summary: "Resident memory at the end of the measured phase, without the capture segment."),
    MetricDefinition(
      name: MetricName.pssEnd, dimension: .size, direction: .lower, scale: .ratio,
      summary: "Proportional anonymous and file memory at the end (Pss_Anon + Pss_File)."),
    exact(
      MetricName.allocCount, .count,
      "Allocations in the measured phase: malloc, calloc, realloc and the aligned functions "
        + "(--allocations)."),
    exact(MetricName.allocBytes, .size, "Bytes requested by those allocations."),
  ]

  private static func exact(
    _ name: String, _ dimension: Dimension, _ summary: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: name, dimension: dimension, direction: .lower, scale: .difference,
      isDeterministic: true, summary: summary)
  }

  private static let kernelMetrics: [MetricDefinition] = [
    difference(MetricName.faultsMinor, .count, .lower, "Page faults without input."),
    difference(MetricName.faultsMajor, .count, .lower, "Page faults that read from a disk."),
    difference(MetricName.switchesVoluntary, .count, .lower, "Context switches by waiting."),
    difference(MetricName.switchesInvoluntary, .count, .lower, "Context switches by preemption."),
    difference(MetricName.ioRead, .size, .lower, "Bytes fetched from storage."),
    difference(MetricName.ioWrite, .size, .lower, "Bytes sent to storage."),
    difference(
      MetricName.psiCPU, .time, .neutral,
      "Time in which a task of the machine waited for a CPU."),
    difference(
      MetricName.psiMemory, .time, .neutral,
      "Time in which a task of the machine waited for memory."),
    difference(
      MetricName.psiWindow, .time, .neutral,
      "Time over which psi.cpu and psi.memory were counted."),
    MetricDefinition(
      name: MetricName.paceCPU, dimension: .time, direction: .neutral, scale: .ratio,
      summary:
        "CPU time of a fixed loop right before each launch of a pair: the CPU's pace."),
    MetricDefinition(
      name: MetricName.paceLookups, dimension: .time, direction: .neutral, scale: .ratio,
      summary:
        "CPU time of a loop of independent look-ups, which neighbours on the same core slow down."),
    difference(
      MetricName.runDelay, .time, .neutral, "Time in which threads were ready but had no CPU."),
    difference(
      MetricName.runDelayWindow, .time, .neutral,
      "Time over which run_delay and frame.run_delay were counted."),
    difference(
      MetricName.steal, .time, .neutral,
      "CPU time that the host gave to other machines (whole machine, in kernel ticks)."),
    difference(
      MetricName.stealWindow, .time, .neutral,
      "Time over which steal was counted: the mean of the CPUs, in the same ticks."),
  ]

  private static let cacheMetrics: [MetricDefinition] = [
    difference(
      MetricName.cacheHitRatio, .ratio, .higher, "Share of look-ups answered from memory."
    ),
    difference(MetricName.cacheHits, .count, .higher, "Look-ups answered from memory."),
    difference(MetricName.cacheMisses, .count, .lower, "Look-ups not answered from memory."),
    difference(MetricName.cacheEvictions, .count, .lower, "Objects evicted by a limit."),
    difference(MetricName.cacheBytes, .size, .lower, "Bytes held at the end."),
    difference(MetricName.cacheObjects, .count, .neutral, "Objects held at the end."),
  ]

  private static let pressureMetrics: [MetricDefinition] = [
    difference(
      MetricName.pressureReclaimHitchTime, .time, .lower,
      "Hitch time of frames made while memory was reclaimed."),
    difference(
      MetricName.crashRate, .ratio, .lower,
      "Share of the measured launches that crashed or were killed."),
  ]
}
