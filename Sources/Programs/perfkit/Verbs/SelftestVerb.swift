internal import ArgumentParser
internal import PerfGate
internal import PerfReport
internal import PerfStore

/// The verb `perfkit selftest`.
struct SelftestVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract: "Measure how often comparisons are wrong on this machine, and what they find.",
    usage: "perfkit selftest [<options>]",
    discussion: """
      Compares a program with itself, and with itself after known changes: 1, 2, 3, 5 and 10 % more \
      CPU time, 5 % more memory, 2 ms more in 3 % of the frames. Each comparison is measured and \
      decided like those of `diff` and `gate`, with five gating metrics. The result is the noise \
      certificate of this machine. Reports of later runs show it, and warn about margins smaller \
      than the changes that it finds.

      A longer selftest gives narrower intervals, which are printed. Exits with 3 if the gate does \
      not keep its error rates on this machine, or if the time was too short for a conclusion.

      Example:
        perfkit selftest
        perfkit selftest --max-time 30min
      """)

  @Option(
    help: ArgumentHelp(
      "Stop starting comparisons after this time (e.g. 90s, 30min).", valueName: "duration"))
  var maxTime = DurationArgument(600_000_000_000)

  @Option(
    help: ArgumentHelp("Make this many comparisons instead, whatever their time.", valueName: "n"))
  var comparisons: Int?

  @Option(
    help: ArgumentHelp("Let each launch take this much CPU time.", valueName: "duration"))
  var launchTime = DurationArgument(50_000_000)

  @Option(help: ArgumentHelp("Stop a comparison after this many pairs.", valueName: "n"))
  var maxPairs = 40

  @Flag(name: .customLong("no-profile"), help: "Take no samples.")
  var noProfile = false

  @Option(help: ArgumentHelp("Seed the first comparison.", valueName: "n"))
  var seed: UInt64 = 1

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    try check(comparisons, "--comparisons", in: 1...10_000)
    try PairingOptions.check(maxPairs, from: Selftest.firstLook())
    // From half a second on, a pair has one launch per side, which needs another design.
    guard (1_000_000...400_000_000).contains(launchTime.nanoseconds) else {
      throw ValidationError("--launch-time must be from 1 ms to 400 ms.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let store = try RunStore(path: global.storePath(context))
    var settings = MeasuringSettings()
    settings.seed = seed
    settings.isProfiled = !noProfile
    var selftest = Selftest()
    selftest.maxTime = maxTime.nanoseconds
    selftest.comparisons = comparisons
    selftest.launchTime = launchTime.nanoseconds
    selftest.maxPairs = maxPairs
    let result = try selftest.run(Measuring(settings, global, context), certifiedIn: store)
    try output.write(
      result.document.document, json: result.document.json, global: global, context: context)
    return result.status
  }
}
