internal import ArgumentParser
internal import PerfProfile

/// The option `--signal` of the verbs that sample.
struct SignalOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The signal to sample with; another one for programs that block or use SIGPROF.",
      valueName: "name"),
    transform: { name in
      do {
        return try SamplingSignal(name)
      } catch {
        throw ValidationError("\(error)")
      }
    })
  var signal = SamplingSignal.standard
}
