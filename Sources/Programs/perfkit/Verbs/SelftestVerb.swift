internal import ArgumentParser
internal import Foundation
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit selftest`.
struct SelftestVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract:
      "Find out how often comparisons are wrong on this machine, and which changes they find.",
    discussion: """
      Compares a program with itself, and with itself after known changes: 1, 2, 3, 5 and 10 % more CPU \
      time, 5 % more memory, 2 ms in 3 % of the frames. Each comparison is measured and decided as by \
      'diff' and 'gate', among five gating metrics. The result is this machine's noise certificate:
      reports of what is measured here carry it, and warn of margins that are finer.

      Intervals become narrower with time; how wide they are is said. Exits with 3 when the gate does not \
      keep its error rates here, or there was too little time to say anything.

      Example:
        perfkit selftest
        perfkit selftest --max-time 30min
      """)

  @Option(
    help: ArgumentHelp(
      "Begin no further comparison after so long; the last one is ended.", valueName: "duration"))
  var maxTime = DurationArgument(600_000_000_000)

  @Option(help: ArgumentHelp("Comparisons, whatever time they take.", valueName: "n"))
  var comparisons: Int?

  @Option(help: ArgumentHelp("CPU time of a launch.", valueName: "duration"))
  var launchTime = DurationArgument(50_000_000)

  @Option(help: ArgumentHelp("Pairs of a comparison at most.", valueName: "n"))
  var maxPairs = 40

  @Flag(name: .customLong("no-profile"), help: "Take no samples.")
  var noProfile = false

  @Option(help: ArgumentHelp("Seed of the first comparison.", valueName: "n"))
  var seed: UInt64 = 1

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    if let comparisons, !(1...10_000).contains(comparisons) {
      throw ValidationError("--comparisons must be from 1 to 10000, not \(comparisons).")
    }
    let first = try LookSchedule(metrics: SelftestRecord.policy.metrics.count).looks[0].pairs
    guard (first...LookSchedule.lastLook).contains(maxPairs) else {
      throw ValidationError(
        "--max-pairs must be from \(first), the first look, to \(LookSchedule.lastLook), the last, "
          + "not \(maxPairs).")
    }
    // From half a second on, one launch a side makes a pair, which is another rule.
    guard (1_000_000...400_000_000).contains(launchTime.nanoseconds) else {
      throw ValidationError("--launch-time must be from 1 ms to 400 ms.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let started = context.now()
    let began = ContinuousClock.now
    let store = try RunStore(path: global.storePath(context))
    let folder =
      (store.path as NSString).deletingLastPathComponent
      + "/selftest-\(RunIdentifier.make(at: started))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var measuring = try SelftestMeasuring(
      Measuring(options: try options(), global: global, context: context),
      launchTime: launchTime.nanoseconds, maxPairs: maxPairs,
      store: try RunStore(path: folder + "/launches.sqlite"))
    let environment = EnvironmentProbe(
      directory: context.workingDirectory, variables: context.variables
    ).environment()
    sayPlan(context)
    try measuring.calibrate()
    let record = try compare(&measuring, since: began, context)
    let isStopped = context.cancellation.isRequested()
    let facts = SelftestDocument.Facts(
      environment: environment, started: started, duration: began.duration(to: .now).nanoseconds,
      launches: measuring.launches, launchTime: launchTime.nanoseconds, isProfiled: !noProfile,
      seed: seed, isStopped: isStopped)
    let certificate = isStopped ? nil : certificate(of: record, facts, at: context.now())
    if let certificate { try store.append(certificate) }
    let document = SelftestDocument(record, facts: facts, certificate: certificate)
    try output.write(document.document, json: document.json, global: global, context: context)
    if isStopped { return .interrupted }
    return record.conclusion == .kept ? .done : .inconclusive
  }

  private func options() throws -> MeasuringOptions {
    var options = try MeasuringOptions.parse([])
    options.seed = seed
    options.noProfile = noProfile
    return options
  }

  private func sayPlan(_ context: Context) {
    let limit =
      comparisons.map { "\($0) comparisons" }
      ?? "comparisons for \(NumberFormat.human(Double(maxTime.nanoseconds), .time)), and the end of "
      + "the last one"
    let error = NumberFormat.human(RunComparer.alpha, .ratio)
    global.say(
      "plan: \(limit), half of them without a change; they promise false alarms in at most \(error)",
      context)
  }

  /// Makes comparisons until the time or their number is spent.
  private func compare(
    _ measuring: inout SelftestMeasuring, since began: ContinuousClock.Instant, _ context: Context
  ) throws -> SelftestRecord {
    var record = SelftestRecord()
    let limit = Duration.nanoseconds(Int64(maxTime.nanoseconds))
    while comparisons.map({ record.trials.count < $0 }) ?? true {
      let spent = began.duration(to: .now)
      guard comparisons != nil || record.trials.isEmpty || spent < limit else { break }
      let change = record.next
      context.console.bar("selftest: \(change), comparison \(record.trials.count + 1)")
      let comparison: Comparison
      do {
        comparison = try measuring.compare(change, number: record.trials.count)
      } catch is CancellationError {
        // What was found before it is still shown.
        break
      }
      let outcome = SelftestRecord.Trial(comparison, of: change)
      record.add(outcome)
      let word =
        change.metric == nil
        ? outcome.isTold ? "a false alarm" : "no alarm" : outcome.isTold ? "found" : "not found"
      global.say(
        "selftest: \(change): \(word), \(outcome.pairs) pairs (\(Self.clock(spent)))", context)
    }
    return record
  }

  /// Minutes and seconds, as `3:07`.
  private static func clock(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }

  private func certificate(
    of record: SelftestRecord, _ facts: SelftestDocument.Facts, at now: Timestamp
  ) -> NoiseCertificate? {
    if case .tooFew = record.conclusion { return nil }
    return NoiseCertificate(
      machine: facts.environment.machine, certified: now, findings: record.findings,
      smallest: record.smallest, duration: facts.duration, launches: facts.launches, seed: seed,
      version: perfkitVersion)
  }
}

extension Duration {
  /// Whole nanoseconds; 0 when it is negative.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return seconds < 0 ? 0 : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
