public import PerfModel

/// Warnings about other load on the machine during the launches of a run.
///
/// Disturbed launches are reported but never excluded: that would also exclude the launches of a
/// program that overloads the machine. But a limit that only disturbed launches exceed is not known to be
/// exceeded.
public enum Disturbance {
  /// A metric of the time that a disturbance took.
  private struct Source {
    let metric: String
    /// The metric with the duration of counting, which is longer than the launch's wall time.
    let window: String
    /// The parts that the metric sums, so that it can exceed the duration, or averages.
    var parts: String?
  }

  /// A kind of disturbance with the share of the time from which a launch counts as disturbed.
  private struct Kind {
    /// The sources in order of preference; the first available one is used.
    let sources: [Source]
    /// The source for launches whose part of the disturbance is unknown.
    var substitute: Source?
    /// Whether the program's own threads cause it, too, if there are more of them than CPUs.
    var isMutual = false
    let share: Double
    let code: String
    let effect: String

    func source(for launch: Launch) -> Source? {
      (sources + [substitute].compactMap(\.self)).first { launch.metrics[$0.metric] != nil }
    }

    /// Returns the nanoseconds for which a launch may have been disturbed.
    func time(in launch: Launch) -> Double {
      let own = sources.compactMap { launch.metrics[$0.metric] }.max()
      return own ?? substitute.flatMap { launch.metrics[$0.metric] } ?? 0
    }
  }

  private static let memoryPressure = "machine.memory_pressure"

  private static let kinds = [
    Kind(
      sources: [
        Source(
          metric: MetricName.steal, window: MetricName.stealWindow, parts: "all CPUs together")
      ], share: 0.02, code: "machine.steal",
      effect: "the host gave CPU time to other machines for"),
    // The main thread's delay is preferred, because worker threads may wait for each other: four
    // threads on two CPUs wait for half of the time on an idle machine. The delays of a command's
    // threads and children are unknown after their end.
    Kind(
      sources: [
        Source(metric: MetricName.frameRunDelay, window: MetricName.runDelayWindow),
        Source(
          metric: MetricName.runDelay, window: MetricName.runDelayWindow,
          parts: "all threads together"),
      ],
      substitute: Source(
        metric: MetricName.psiCPU, window: MetricName.psiWindow,
        parts: "mean of the machine's CPUs"),
      isMutual: true, share: 0.1, code: "machine.run_delay",
      effect: "threads were ready but had no CPU for"),
    // The kernel counts the search for free memory, but not each page that is read again: the wait for
    // memory was 1.8 to 2.9 % of a launch that took seven times as long as with enough memory.
    Kind(
      sources: [Source(metric: MetricName.psiMemory, window: MetricName.psiWindow)], share: 0.01,
      code: memoryPressure, effect: "tasks waited for memory for"),
  ]

  /// Returns a warning for each kind that affected at least a quarter of the complete launches.
  public static func warnings(of run: Run) -> [RunWarning] {
    kinds.compactMap { warning(of: $0, in: run) }
  }

  private static func warning(of kind: Kind, in run: Run) -> RunWarning? {
    let shares = run.measured.compactMap { launch in
      share(of: kind, in: launch).map { (launch: launch, value: $0.value, parts: $0.parts) }
    }
    let hits = shares.filter { $0.value >= kind.share }
    guard !hits.isEmpty, 4 * hits.count >= shares.count,
      let most = hits.max(by: { $0.value < $1.value }),
      !kind.isMutual || cpusOfOthers(in: hits.map(\.launch)) ?? 1 >= kind.share
    else { return nil }
    let largest = NumberFormat.human((most.value * 1000).rounded() / 1000, .ratio)
    return RunWarning(
      code: kind.code,
      message: "the machine was disturbed: in \(hits.count) of \(shares.count) launches, "
        + "\(kind.effect) at least \(NumberFormat.human(kind.share, .ratio)) of the time, up to "
        + largest + (most.parts.map { " (\($0))" } ?? ""),
      remedy: "Measure on a quieter machine; see 'perfkit doctor'. No launch was excluded.")
  }

  /// Returns how many CPUs other programs used during launches, such as 0.5; nil if it is unknown.
  private static func cpusOfOthers(in launches: [Launch]) -> Double? {
    var (used, time) = (0.0, 0.0)
    for launch in launches {
      guard let machine = launch.metrics[MetricName.machineCPU],
        let own = launch.metrics[MetricName.cpuTotal],
        let window = launch.metrics[MetricName.stealWindow]
      else { continue }
      used += machine - own
      time += window
    }
    return time > 0 ? used / time : nil
  }

  /// The values of a metric that a disturbance can make worse.
  public struct Relief: Equatable, Sendable {
    /// The least values without the disturbance, one for each launch; empty if they are unknown.
    public let values: [Double]
    /// The disturbance in words.
    public let reason: String
  }

  /// The factor by which programs on the other threads of a core can slow a program down.
  ///
  /// Two threads of a core share its units, so that each has at least half of them.
  private static let coreSharing = 2.0

  /// Returns the least values that a metric may have had on a quiet machine.
  ///
  /// A time contains at most the time for which its launch was disturbed, and CPU time contains no waiting. The rest
  /// is at most twice as long as on a core without other programs. The wall time is at least the CPU time spread over
  /// all CPUs, although many threads or programs may have waited longer in all. That is the only bound if memory was
  /// short. Sizes and exact counts do not change.
  ///
  /// - Returns: The values; nil if the run was not disturbed, or if a disturbance does not change the metric.
  public static func relief(of definition: MetricDefinition, in run: Run) -> Relief? {
    guard !definition.isDeterministic else { return nil }
    let found = kinds.compactMap { kind in
      warning(of: kind, in: run).map { (kind: kind, reason: $0.message) }
    }
    guard let reason = found.first?.reason else { return nil }
    switch definition.dimension {
    case .time:
      let isCPU = definition.name.hasPrefix("cpu.")
      // The kernel does not count how long a launch reads again the pages that it has lost.
      let isBounded = isCPU || !found.contains { $0.kind.code == memoryPressure }
      let values = run.measured.compactMap { launch in
        launch.metrics[definition.name].map { value in
          let least = definition.name == MetricName.wall ? spreadCPU(of: launch, in: run) : 0
          let waits = isCPU ? 0 : found.reduce(0) { $0 + $1.kind.time(in: launch) }
          return max(least, isBounded ? value - waits : 0) / coreSharing
        }
      }
      return Relief(values: values, reason: reason)
    case .timeRatio, .frequency: return Relief(values: [], reason: reason)
    // Frames that were late because the thread had no CPU.
    case .count where definition.name.hasPrefix("frame."): return Relief(values: [], reason: reason)
    case .count, .size, .ratio: return nil
    }
  }

  /// Returns the CPU time of a launch divided by the number of CPUs; 0 if one of them is unknown.
  private static func spreadCPU(of launch: Launch, in run: Run) -> Double {
    guard let cpu = launch.metrics[MetricName.cpuTotal],
      let cpus = run.environment[.cpuCount].flatMap({ Double($0) }), cpus > 0
    else { return 0 }
    return cpu / cpus
  }

  /// Returns the share of the time that was disturbed, with the parts that it sums; nil if it is unknown.
  private static func share(
    of kind: Kind, in launch: Launch
  ) -> (value: Double, parts: String?)? {
    guard let source = kind.source(for: launch), let time = launch.metrics[source.metric],
      let window = launch.metrics[source.window] ?? launch.metrics[MetricName.wall]
    else { return nil }
    if window > 0 { return (time / window, source.parts) }
    // The counter's clock did not advance.
    return time == 0 ? (0, source.parts) : nil
  }
}
