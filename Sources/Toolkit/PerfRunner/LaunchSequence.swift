internal import PerfModel

/// The launches of a run, made one at a time, so that several runs can take turns.
///
/// A launch that crashes, hangs or is killed is recorded, and the run continues. A later session of a run
/// makes its warm-ups again, which are not part of the result.
public struct LaunchSequence {
  private let plan: MeasurementPlan
  /// Nil if the user stopped the setup.
  private let launcher: Launcher?
  private let isCancelled: @Sendable () -> Bool
  private let isOutOfTime: @Sendable () -> Bool
  /// The numbers of the launches to make, the next one last.
  private var missing: [Int]
  private var launches: [Launch] = []
  private var hasEnded = false
  /// Whether the plain launch, which limits the time of the counted ones, is still to be made.
  private var needsPlainLaunch: Bool

  init(
    plan: MeasurementPlan, launcher: Launcher?, isCancelled: @escaping @Sendable () -> Bool,
    isOutOfTime: @escaping @Sendable () -> Bool
  ) {
    (self.plan, self.launcher) = (plan, launcher)
    (self.isCancelled, self.isOutOfTime) = (isCancelled, isOutOfTime)
    missing = (0..<plan.warmup + plan.iterations).reversed().filter {
      !plan.made.contains($0) || $0 < plan.warmup
    }
    needsPlainLaunch = plan.callgrind != nil
  }

  /// Makes the next launch.
  ///
  /// - Parameter observe: Called with each event in order, on the calling thread.
  /// - Returns: False if there was none to make, the user stopped or the time is over.
  /// - Throws: `RunnerError` if the worker breaks the protocol; errors of `observe`.
  public mutating func makeNext(_ observe: (RunEvent) throws -> Void) throws -> Bool {
    guard let launcher, !hasEnded, let index = missing.last else { return false }
    if needsPlainLaunch {
      needsPlainLaunch = false
      if let failed = try launcher.launchBeforeCounting() {
        (missing, launches) = ([], [failed])
        try observe(.launching(index: 0, total: 1, isWarmup: false))
        try observe(.launched(failed))
        return false
      }
    }
    guard !isCancelled(), !isOutOfTime() || launches.isEmpty else { return false }
    let isWarmup = index < plan.warmup
    try observe(
      .launching(index: index, total: plan.warmup + plan.iterations, isWarmup: isWarmup))
    let launch = try launcher.launch(index: index, isWarmup: isWarmup)
    missing.removeLast()
    launches.append(launch)
    try observe(.launched(launch))
    hasEnded = launch.status == .interrupted
    return !hasEnded
  }

  /// Symbolicates all samples.
  ///
  /// - Parameter observe: Called with each event in order, on the calling thread.
  /// - Returns: The result of the launches.
  /// - Throws: Errors of `observe`.
  public func finish(_ observe: (RunEvent) throws -> Void) throws -> RunOutcome {
    guard let launcher else { return RunOutcome(launches: [], wasInterrupted: true) }
    try observe(.analysing)
    return launcher.outcome(
      launches.filter { !plan.made.contains($0.index) },
      wasInterrupted: !missing.isEmpty || isCancelled())
  }
}
