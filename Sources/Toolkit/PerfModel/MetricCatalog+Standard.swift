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
        "frame.hitch_time_ratio", .timeRatio, .lower,
        "Hitch time per animated second, from ideal slots and measured costs (Apple: scrolling is "
          + "good below 5 ms/s, poor above 10)."),
      difference(
        "frame.hitch_time_ratio.wall", .timeRatio, .lower,
        "As frame.hitch_time_ratio from real wake-up times; a noisy machine shows in it."),
      difference("frame.hitch_count", .count, .lower, "Frames with hitch time."),
      difference("frame.hitch_max", .time, .lower, "The longest hitch."),
      difference(
        "frame.dropped", .count, .lower, "Refreshes of animated time without a new frame."),
      difference("frame.rate", .frequency, .higher, "Presented frames per animated second."),
      difference("frame.count", .count, .neutral, "Frames that were made."),
      difference("frame.jank_count", .count, .lower, "Frames that cost over two refresh periods."),
      difference(
        "frame.missed_max_64", .count, .lower,
        "Most refreshes missed in any of the fixed windows of 64 refreshes."),
      difference(
        "frame.jank_budget", .time, .lower,
        "Least time to take out of the frames so that none misses its refresh."),
      difference(
        "frame.seed_drops", .count, .lower,
        "Presented frames more than 10 ms after the one before (the Epilogue case study's count)."),
    ]
    + percentiles("frame.overrun", "Frame ready time minus its refresh; positive is late")
    + percentiles("frame.cost", "Wall time of a frame's work", scale: .ratio)
    + percentiles("frame.cpu", "Thread CPU time of a frame's work", scale: .ratio)
    + [
      difference(
        "pacer.lateness.p50", .time, .neutral, "Median lateness of the pacer's wake-ups."),
      difference(
        "pacer.lateness.p99", .time, .neutral,
        "99th percentile of the pacer's wake-up lateness: the machine's noise, never a hitch."),
      difference(
        "frame.run_delay", .time, .neutral,
        "Time in which the frame thread was ready to run but had no CPU (schedstat)."),
    ]

  private static func percentiles(
    _ stem: String, _ what: String, scale: MetricScale = .difference
  ) -> [MetricDefinition] {
    [50, 90, 95, 99].map { percent in
      MetricDefinition(
        name: "\(stem).p\(percent)", dimension: .time, direction: .lower, scale: scale,
        summary: "\(what), percentile \(percent) of the launch's frames.")
    }
  }

  private static let startupMetrics: [MetricDefinition] = [
    time("startup.initial_display", .lower, "Process start to the first picture."),
    time("startup.full_display", .lower, "Process start to the first complete picture."),
  ]

  private static let timeMetrics: [MetricDefinition] = [
    time("wall", .lower, "Wall time of the measured phase."),
    time(
      "cpu.total", .lower,
      "CPU time of the process without the sampler's; of a command with the children it waited for."
    ),
    time("cpu.user", .lower, "CPU time in user mode, scaled to cpu.total."),
    time("cpu.system", .lower, "CPU time in the kernel, scaled to cpu.total."),
  ]

  private static let memoryMetrics: [MetricDefinition] = [
    MetricDefinition(
      name: "rss.peak", dimension: .size, direction: .lower, scale: .ratio,
      summary: "Most resident memory of the measured phase (VmHWM), without the capture segment."),
    MetricDefinition(
      name: "rss.mean", dimension: .size, direction: .lower, scale: .ratio,
      summary: "Mean of the resident memory over the measured phase, without the segment."),
    MetricDefinition(
      name: "rss.end", dimension: .size, direction: .lower, scale: .ratio,
      summary: "Resident memory at the end of the measured phase, without the segment."),
    MetricDefinition(
      name: "pss.end", dimension: .size, direction: .lower, scale: .ratio,
      summary: "Proportional anonymous and file memory at the end (Pss_Anon + Pss_File)."),
    exact(
      "alloc.count", .count,
      "Calls of the measured phase that gave memory: malloc, calloc, realloc and the aligned ones, "
        + "by --allocations."),
    exact("alloc.bytes", .size, "Bytes that those calls asked for."),
  ]

  private static func exact(
    _ name: String, _ dimension: Dimension, _ summary: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: name, dimension: dimension, direction: .lower, scale: .difference,
      isDeterministic: true, summary: summary)
  }

  private static let kernelMetrics: [MetricDefinition] = [
    difference("faults.minor", .count, .lower, "Page faults without input."),
    difference("faults.major", .count, .lower, "Page faults that read from a disk."),
    difference("switches.voluntary", .count, .lower, "Context switches by waiting."),
    difference("switches.involuntary", .count, .lower, "Context switches by preemption."),
    difference("io.read", .size, .lower, "Bytes fetched from storage."),
    difference("io.write", .size, .lower, "Bytes sent to storage."),
    difference(
      "psi.cpu", .time, .neutral, "Time in which some task waited for a CPU (whole machine)."),
    difference(
      "psi.memory", .time, .neutral, "Time in which some task waited for memory (whole machine)."),
    difference("psi.window", .time, .neutral, "How long psi.cpu and psi.memory were counted."),
    MetricDefinition(
      name: MetricDefinition.pace, dimension: .time, direction: .neutral, scale: .ratio,
      summary:
        "CPU time of the same loop right before each launch of a pair: how slow the CPU was."),
    MetricDefinition(
      name: MetricDefinition.paceOfLookups, dimension: .time, direction: .neutral, scale: .ratio,
      summary: "The same of a loop of independent look-ups, as neighbours on one core slow it."),
    difference("run_delay", .time, .neutral, "Time in which threads were ready but had no CPU."),
    difference(
      "run_delay.window", .time, .neutral, "How long run_delay and frame.run_delay were counted."),
    difference(
      "steal", .time, .neutral,
      "CPU time that the host gave to other machines (whole machine, in ticks of the kernel)."),
    difference(
      "steal.window", .time, .neutral,
      "How long steal was counted: the mean of the CPUs, in the same ticks."),
  ]

  private static let cacheMetrics: [MetricDefinition] = [
    difference(
      "cache.hit_ratio", .ratio, .higher, "Share of look-ups that were answered from memory."),
    difference("cache.hits", .count, .higher, "Look-ups that were answered from memory."),
    difference("cache.misses", .count, .lower, "Look-ups that were not."),
    difference("cache.evictions", .count, .lower, "Objects pushed out by a limit."),
    difference("cache.bytes", .size, .lower, "Bytes held at the end."),
    difference("cache.objects", .count, .neutral, "Objects held at the end."),
  ]

  private static let pressureMetrics: [MetricDefinition] = [
    difference(
      "pressure.reclaim_hitch_time", .time, .lower,
      "Hitch time of frames made while memory was being reclaimed."),
    difference(
      "crash.rate", .ratio, .lower,
      "Launches that were killed or crashed, of all that were measured."),
  ]
}
