internal import ArgumentParser
internal import PerfProfile

/// The options of the sampler.
struct SamplingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Sample with this signal, e.g. USR2 for a program that uses SIGPROF itself. Default: PROF.",
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
      "Copy at most this much of a stack: 4, 8, 16, 32 or 64 KiB. Deep recursion needs more. Default: 16, or "
        + "60 if the kernel samples at 2 kHz or less; the kernel copies at most 60.",
      valueName: "KiB"))
  var stackSize: Int?

  /// The largest number of stack bytes that a sample copies; nil for the engine's default.
  var stackBytes: Int? { stackSize.map { $0 << 10 } }

  func validate() throws {
    guard let stackSize else { return }
    guard [4, 8, 16, 32, 64].contains(stackSize) else {
      throw ValidationError("--stack-size must be 4, 8, 16, 32 or 64 KiB, not \(stackSize).")
    }
  }
}
