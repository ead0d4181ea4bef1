internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfProfile
internal import PerfScenario

/// The options of every verb that measures scenarios.
struct MeasuringOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set a parameter of the workload, e.g. books=200; repeatable.", valueName: "key=value"))
  var overrides: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take this many samples per second and thread. Default: the scenario's, or 1000.",
      valueName: "hz"))
  var rate: Int?

  @Option(
    help: ArgumentHelp(
      "Sample by the kernel (perf) or by a signal. Default: auto, a signal, which needs no permission and "
        + "alone sees awaiting callers.",
      valueName: "auto|perf|signal"),
    transform: { try EngineChoice(option: $0) })
  var engine = EngineChoice.auto

  @OptionGroup
  var sampling: SamplingOptions

  @Flag(name: .customLong("no-profile"), help: "Take no samples.")
  var noProfile = false

  @Flag(help: "Count and sample the heap allocations of the program.")
  var allocations = false

  @Flag(help: "Use the scenario's small parameter set.")
  var quick = false

  @Option(help: ArgumentHelp("Seed all random numbers.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Stop starting launches after this time (e.g. 90s, 5min); builds are not counted. Default: no limit "
        + "for a run, 60 s or 40 pairs for a comparison.",
      valueName: "duration"))
  var maxTime: DurationArgument?

  @Option(help: ArgumentHelp("Name the run, to refer to it later.", valueName: "name"))
  var label: String?

  @OptionGroup
  var redaction: RedactionOptions

  @Option(
    name: .customLong("scenarios"),
    help: ArgumentHelp(
      "Read the scenario files from this folder. Default: Scenarios, or perfkit.yml's when "
        + "revisions are measured.", valueName: "dir"))
  var scenarioFolder: String?

  func validate() throws {
    try check(rate, "--rate", in: 1...20_000, " Hz")
    try engine.check(countsAllocations: allocations)
  }

  /// Returns the settings of the options.
  ///
  /// - Throws: `Failure` for wrong usage if a parameter cannot be parsed.
  func settings() throws -> MeasuringSettings {
    var settings = MeasuringSettings()
    do {
      settings.overrides = try overrides.map { try ParameterOverride(argument: $0) }
    } catch {
      throw Failure("\(error)", status: .usage)
    }
    settings.rate = rate
    settings.signal = sampling.signal
    settings.engine = engine == .perf ? .perf : .signal
    settings.engineReason = engine.reason(
      countsAllocations: allocations, signal: sampling.signal)
    settings.stackBytes =
      sampling.stackBytes ?? settings.engine.defaultStackBytes(rate: rate ?? 1000)
    settings.isProfiled = !noProfile
    settings.countsAllocations = allocations
    settings.isQuick = quick
    settings.seed = seed
    settings.maxTime = maxTime?.nanoseconds
    settings.label = label
    settings.redaction = redaction.redaction
    settings.scenarioFolder = scenarioFolder
    return settings
  }
}

extension Measuring {
  /// Creates a measurement that is displayed on the console.
  init(_ settings: MeasuringSettings, _ global: GlobalOptions, _ context: Context) {
    let display = MeasuringDisplay(global, context)
    self.init(
      settings: settings, workspace: context.workspace, storePath: global.storePath(context),
      observe: display.show)
  }
}
