internal import Foundation
internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Measures the comparisons of a selftest in the same way as `diff` and `gate`.
///
/// Each comparison is a measurement of its own, throws its first pair away and ends at the look that
/// decides it. A comparison that has begun is always completed: comparisons that find nothing take the
/// longest, and leaving them out would overstate the gate.
struct SelftestMeasuring {
  private let measuring: Measuring
  private let runnable: RunnableScenario
  private let store: RunStore
  private let maxPairs: Int
  private let launchTime: UInt64
  /// The parameters of the work, complete after the calibration.
  private var overrides: [ParameterOverride]
  private(set) var launches = 0

  /// Finds the worker.
  ///
  /// - Parameters:
  ///   - measuring: Makes the launches.
  ///   - launchTime: Nanoseconds of CPU time of a launch.
  ///   - maxPairs: The most pairs of a comparison.
  ///   - store: Receives the launches; it can be removed afterwards.
  /// - Throws: `RunnerError` or `ScenarioError`.
  init(_ measuring: Measuring, launchTime: UInt64, maxPairs: Int, store: RunStore) throws {
    self.measuring = measuring
    self.store = store
    self.maxPairs = maxPairs
    self.launchTime = launchTime
    runnable = try measuring.runnable(
      SelftestScenario.file(),
      finder: measuring.workspace.finder,
      folder: measuring.workspace.workingDirectory)
    overrides = [try ParameterOverride(argument: "milliseconds=\(Double(launchTime) / 1e6)")]
  }

  /// Measures how many steps of the work take a millisecond on this machine.
  ///
  /// - Throws: `Failure` if no launch completes; `RunnerError`, `StoreError` or `CancellationError`.
  mutating func calibrate() throws {
    let run = try session(seed: measuring.settings.seed)
      .measure(runnable, variant: InjectedChange.nothing.name, into: store)
    launches += run.launches.count
    guard let fastest = run.values(of: MetricName.cpuTotal).min(), fastest > 0 else {
      if measuring.workspace.isCancelled() { throw CancellationError() }
      let status = run.launches.last.map { "\($0.status)" } ?? "there was none"
      throw Failure("no launch of the selftest's worker completed; the last launch \(status).")
    }
    let speed = Double(SelftestScenario.speed) * Double(launchTime) / fastest
    overrides.append(
      try ParameterOverride(argument: "speed=\(Int(min(max(speed, 100), 1e9)))"))
  }

  /// Compares the work with itself, with a change in the candidate.
  ///
  /// - Parameters:
  ///   - change: The injected change.
  ///   - number: The number of the comparison, from 0; it determines the seed.
  /// - Returns: The comparison with its verdict.
  /// - Throws: `RunnerError`, `StoreError`, `StatisticsError` or `CancellationError`.
  mutating func compare(_ change: InjectedChange, number: Int) throws -> Comparison {
    let seeded = session(seed: measuring.settings.seed &+ UInt64(number))
    let sides = PairedSides(
      base: .init(runnable: runnable, variant: InjectedChange.nothing.name),
      candidate: .init(runnable: runnable, variant: change.name),
      policy: SelftestRecord.policy(of: change))
    let compared: PairedComparison
    do {
      compared = try seeded.measure(
        sides, PairingSettings(maxPairs: maxPairs),
        among: GatingCounts(timed: SelftestRecord.policy.metrics.count), into: store)
    } catch {
      // A comparison that was stopped before its first pair has no pairs, which is no failure.
      if measuring.workspace.isCancelled() { throw CancellationError() }
      throw error
    }
    guard !measuring.workspace.isCancelled() else { throw CancellationError() }
    launches += compared.legs.reduce(0) {
      $0 + $1.base.launches.count + $1.candidate.launches.count
    }
    return compared.comparison
  }

  /// Returns a measurement without time limit and without progress.
  private func session(seed: UInt64) -> Measuring {
    var settings = measuring.settings
    settings.seed = seed
    settings.overrides = overrides
    settings.maxTime = nil
    return Measuring(
      settings: settings, workspace: measuring.workspace, storePath: measuring.storePath
    ) { _ in }
  }
}
