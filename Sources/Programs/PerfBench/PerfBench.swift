internal import ArgumentParser

/// The benchmarks behind the figures that we quote; run by `Scripts/bench`.
@main
struct PerfBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "The benchmarks behind the figures that we quote.",
    subcommands: [
      SamplerBench.self, HarnessBench.self, ProfilerBench.self, ModulesBench.self,
      ClaimsBench.self,
      EvidenceBench.self,
    ])
}
