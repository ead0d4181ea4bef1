internal import Foundation
internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Makes the comparisons of a selftest, each as `diff` and `gate` make theirs.
///
/// Each is a measurement of its own, with a first pair that is thrown away, and ends at the look
/// that decides it. What was begun is ended however long it takes: those that take longest are
/// those that find nothing, and to leave them out would make the gate look better than it is.
struct SelftestMeasuring {
  private let measuring: Measuring
  private let subject: Measuring.Subject
  private let store: RunStore
  private let maxPairs: Int
  private let launchTime: UInt64
  /// What comparisons are made with, once the work is calibrated.
  private var overrides: [String]
  private(set) var launches = 0

  /// Finds the worker.
  ///
  /// - Parameters:
  ///   - measuring: With the options that all launches share.
  ///   - launchTime: Nanoseconds of CPU time that a launch is to take.
  ///   - maxPairs: Pairs of a comparison, at most.
  ///   - store: Takes the launches; nobody needs it afterwards.
  /// - Throws: `RunnerError` or `ScenarioError`.
  init(
    _ measuring: Measuring, launchTime: UInt64, maxPairs: Int, store: RunStore
  ) throws {
    self.measuring = measuring
    self.store = store
    self.maxPairs = maxPairs
    self.launchTime = launchTime
    subject = try measuring.subject(
      SelftestScenario.file(),
      finder: measuring.finder(products: measuring.context.programDirectory),
      folder: measuring.context.workingDirectory)
    overrides = ["milliseconds=\(Double(launchTime) / 1e6)"]
  }

  /// Finds out how many steps of the work take a millisecond here.
  ///
  /// - Throws: `Failure` when no launch completes.
  mutating func calibrate() throws {
    let run = try session(seed: measuring.options.seed)
      .measure(subject, variant: InjectedChange.nothing.name, into: store)
    launches += run.launches.count
    guard let fastest = run.values(of: MetricName.cpuTotal).min(), fastest > 0 else {
      if measuring.context.cancellation.isRequested() { throw CancellationError() }
      let status = run.launches.last.map { "\($0.status)" } ?? "there was none"
      throw Failure("no launch of the selftest's worker completed: \(status).")
    }
    let speed = Double(SelftestScenario.speed) * Double(launchTime) / fastest
    overrides.append("speed=\(Int(min(max(speed, 100), 1e9)))")
  }

  /// Compares the work with itself, a change in one of both.
  ///
  /// - Parameters:
  ///   - change: What is injected.
  ///   - number: Of the comparison, from 0; it makes its seed.
  /// - Returns: What followed.
  /// - Throws: `RunnerError`, `StoreError`, `StatisticsError` or `CancellationError`.
  mutating func compare(_ change: InjectedChange, number: Int) throws -> Comparison {
    let seeded = session(seed: measuring.options.seed &+ UInt64(number))
    let paired = PairedMeasuring(
      measuring: seeded, minPairs: 1, maxPairs: maxPairs, allowsDifferentEnvironments: false,
      isOutOfTime: { false })
    let sides = PairedMeasuring.Sides(
      base: .init(subject: subject, variant: InjectedChange.nothing.name),
      candidate: .init(subject: subject, variant: change.name),
      policy: SelftestRecord.policy(of: change))
    let compared: PairedComparison
    do {
      compared = try paired.measure(
        sides, gatingCount: SelftestRecord.policy.metrics.count, into: store)
    } catch {
      // One that was stopped before its first pair has none, which is no failure here.
      if measuring.context.cancellation.isRequested() { throw CancellationError() }
      throw error
    }
    guard !measuring.context.cancellation.isRequested() else { throw CancellationError() }
    launches += compared.legs.reduce(0) {
      $0 + $1.base.launches.count + $1.candidate.launches.count
    }
    return compared.comparison
  }

  private func session(seed: UInt64) -> Measuring {
    var options = measuring.options
    options.seed = seed
    options.overrides = overrides
    // A comparison that has begun is not to be ended by time.
    options.maxTime = nil
    var global = measuring.global
    global.quiet = true
    return Measuring(options: options, global: global, context: measuring.context)
  }
}
