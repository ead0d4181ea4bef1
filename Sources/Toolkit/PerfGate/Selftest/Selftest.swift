internal import Foundation
internal import PerfModel
public import PerfReport
internal import PerfRunner
internal import PerfStatistics
public import PerfStore

/// A test of the gate on this machine: it compares a program with itself and with known changes.
public struct Selftest {
  /// Nanoseconds after which no further comparison begins.
  public var maxTime: UInt64 = 600_000_000_000
  /// The number of comparisons, whatever time they take; nil to use the time.
  public var comparisons: Int?
  /// Nanoseconds of CPU time of a launch.
  public var launchTime: UInt64 = 50_000_000
  /// The most pairs of a comparison.
  public var maxPairs = 40

  /// Creates a selftest of default size.
  public init() {}

  /// The least value of `maxPairs`: the first look.
  ///
  /// - Throws: `StatisticsError`.
  public static func firstLook() throws -> Int {
    try LookSchedule(metrics: SelftestRecord.policy.metrics.count).looks[0].pairs
  }

  /// Makes comparisons until the time or their number is used up, and stores the noise certificate.
  ///
  /// The status is done if the gate keeps its error rates.
  ///
  /// - Throws: `RunnerError`, `StoreError`, `StatisticsError`, `CancellationError` or `Failure`.
  public func run(
    _ measuring: Measuring, certifiedIn store: RunStore
  ) throws -> (document: SelftestDocument, status: ExitStatus) {
    let workspace = measuring.workspace
    let (started, began) = (workspace.now(), ContinuousClock.now)
    // The launches have a store of their own, which is removed at the end.
    let folder =
      (store.path as NSString).deletingLastPathComponent
      + "/selftest-\(RunIdentifier.make(at: started))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var session = try SelftestMeasuring(
      measuring, launchTime: launchTime, maxPairs: maxPairs,
      store: try RunStore(path: folder + "/launches.sqlite"))
    let environment = workspace.environment()
    measuring.observe(.note(plan))
    try session.calibrate()
    let record = try compare(&session, since: began, measuring)
    let isStopped = workspace.isCancelled()
    let facts = SelftestDocument.Facts(
      environment: environment, started: started, duration: began.duration(to: .now).nanoseconds,
      launches: session.launches, launchTime: launchTime,
      isProfiled: measuring.settings.isProfiled, seed: measuring.settings.seed,
      isStopped: isStopped)
    let certificate = isStopped ? nil : certificate(of: record, facts, workspace)
    if let certificate { try store.append(certificate) }
    let status: ExitStatus =
      isStopped ? .interrupted : record.conclusion == .kept ? .done : .inconclusive
    return (SelftestDocument(record, facts: facts, certificate: certificate), status)
  }

  private var plan: String {
    let limit =
      comparisons.map { "\($0) comparisons" }
      ?? "comparisons for \(NumberFormat.human(Double(maxTime), .time)); the last one is completed"
    let error = NumberFormat.human(RunComparer.alpha, .ratio)
    return "plan: \(limit); a third of them without a change, which may raise at most \(error) "
      + "false alarms"
  }

  private func compare(
    _ session: inout SelftestMeasuring, since began: ContinuousClock.Instant,
    _ measuring: Measuring
  ) throws -> SelftestRecord {
    var record = SelftestRecord()
    let limit = Duration.nanoseconds(Int64(maxTime))
    while comparisons.map({ record.trials.count < $0 }) ?? true {
      let spent = began.duration(to: .now)
      guard comparisons != nil || record.trials.isEmpty || spent < limit else { break }
      let change = record.next
      measuring.observe(.status("selftest: \(change), comparison \(record.trials.count + 1)"))
      let comparison: Comparison
      do {
        comparison = try session.compare(change, number: record.trials.count)
      } catch is CancellationError {
        // The comparisons before the stop are still shown.
        break
      }
      let outcome = SelftestRecord.Trial(comparison, of: change)
      record.add(outcome)
      let result =
        change.metric == nil
        ? outcome.isFound ? "false alarm" : "no alarm" : outcome.isFound ? "found" : "not found"
      measuring.observe(
        .note("selftest: \(change): \(result), \(outcome.pairs) pairs (\(Self.clock(spent)))"))
    }
    return record
  }

  /// Returns minutes and seconds, such as `3:07`.
  private static func clock(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }

  private func certificate(
    of record: SelftestRecord, _ facts: SelftestDocument.Facts, _ workspace: Workspace
  ) -> NoiseCertificate? {
    if case .tooFew = record.conclusion { return nil }
    return NoiseCertificate(
      machine: facts.environment.machine, certified: workspace.now(), findings: record.findings,
      smallest: record.smallest, duration: facts.duration, launches: facts.launches,
      seed: facts.seed, version: workspace.version)
  }
}

extension Duration {
  /// Whole nanoseconds; 0 for a negative duration.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return seconds < 0 ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
