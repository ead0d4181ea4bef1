internal import ArgumentParser
internal import PerfProfile

/// The options of the sampler.
struct SamplingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Sample with this signal, e.g. USR2 for a program that uses SIGPROF itself.",
      valueName: "name"),
    transform: { name in
      do {
        return try SamplingSignal(name)
      } catch {
        throw ValidationError("\(error)")
      }
    })
  var signal = SamplingSignal.standard

  @Option(
    help: ArgumentHelp(
      "Copy at most this much of a stack: 4, 8, 16, 32 or 64 KiB. Deep recursion needs more.",
      valueName: "KiB"))
  var stackSize = 16

  func validate() throws {
    guard [4, 8, 16, 32, 64].contains(stackSize) else {
      throw ValidationError("--stack-size must be 4, 8, 16, 32 or 64 KiB, not \(stackSize).")
    }
  }
}
