internal import ArgumentParser
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The options of the verbs that measure.
struct MeasuringOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Measured launches.", valueName: "n"))
  var iterations: Int?

  @Option(help: ArgumentHelp("Launches before them that are thrown away.", valueName: "n"))
  var warmup: Int?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Set a parameter of the workload; may be repeated.", valueName: "key=value"))
  var overrides: [String] = []

  @Option(help: ArgumentHelp("Samples a second and thread.", valueName: "hz"))
  var rate: Int?

  @OptionGroup
  var sampling: SamplingOptions

  @Flag(name: .customLong("no-profile"), help: "Take no samples.")
  var noProfile = false

  @Flag(help: "Count what the worker asks of the heap, and sample where.")
  var allocations = false

  @Flag(help: "Use the scenario's small parameter set.")
  var quick = false

  @Option(help: ArgumentHelp("Seed of everything random.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Start no further launch after so long, as 90s or 5 min, without what is built.",
      valueName: "duration"))
  var maxTime: DurationArgument?

  @Option(help: ArgumentHelp("A name for the run, to refer to it later.", valueName: "name"))
  var label: String?

  @Option(
    name: .customLong("scenarios"),
    help: ArgumentHelp(
      "The folder of the scenario files (default: Scenarios); for revisions perfkit.yml says it.",
      valueName: "dir"))
  var scenarioFolder: String?

  /// The folder of the scenario files of what lies here.
  var scenarios: String { scenarioFolder ?? "Scenarios" }

  func validate() throws {
    if let iterations, !(1...10_000).contains(iterations) {
      throw ValidationError("--iterations must be from 1 to 10000, not \(iterations).")
    }
    if let warmup, !(0...1000).contains(warmup) {
      throw ValidationError("--warmup must be from 0 to 1000, not \(warmup).")
    }
    if let rate, !(1...20_000).contains(rate) {
      throw ValidationError("--rate must be from 1 to 20000 Hz, not \(rate).")
    }
  }

  /// Why what was given cannot be had of pairs, which are made by a rule of their own; nil when it can.
  var obstacleToPairs: String? {
    let pair =
      "a pair is \(BlockStatistic.shortLaunches) launches of each side, or 1 of long ones"
    if iterations != nil {
      return
        "--iterations says nothing of pairs: \(pair), and the rule says after how many it is decided. "
        + "Use --max-pairs, which says how many there are at most."
    }
    return warmup.map { _ in
      "--warmup says nothing of pairs: \(pair), and the first one is always thrown away. Leave it out."
    }
  }

  /// Refuses what says how many launches a run has, for verbs that always make pairs.
  func checkPairs() throws {
    if let obstacleToPairs { throw ValidationError(obstacleToPairs) }
  }

  /// Refuses a folder of scenario files where revisions are measured.
  func checkRevisions() throws {
    guard let scenarioFolder else { return }
    throw Failure(
      "--scenarios \(scenarioFolder) says nothing of revisions: each is measured by the scenario "
        + "files of its own tree, in the folder that perfkit.yml names by 'scenarios'.",
      status: .usage)
  }

  /// Refuses a label that cannot be one, before anything is measured.
  func checkLabel() throws { try label.map(StoredName.checkLabel) }

  /// The parsed `--set` options.
  func parameterOverrides() throws -> [ParameterOverride] {
    do {
      return try overrides.map { try ParameterOverride(argument: $0) }
    } catch {
      throw Failure("\(error)", status: .usage)
    }
  }
}

extension StoredName {
  /// Refuses what `--label` was given when it cannot be a label.
  static func checkLabel(_ label: String) throws {
    do {
      try check(label)
    } catch {
      throw Failure("--label: \(error)", status: .usage)
    }
  }
}
