internal import ArgumentParser
internal import PerfProfile

/// The options of the verbs that sample which say how.
struct SamplingOptions: ParsableArguments {
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

  @Option(
    help: ArgumentHelp(
      "Most of a stack that a sample copies, in KiB; deep recursion takes more, and more memory.",
      valueName: "KiB"))
  var stackSize = 16

  func validate() throws {
    guard [4, 8, 16, 32, 64].contains(stackSize) else {
      throw ValidationError("--stack-size must be 4, 8, 16, 32 or 64 KiB, not \(stackSize).")
    }
  }
}
