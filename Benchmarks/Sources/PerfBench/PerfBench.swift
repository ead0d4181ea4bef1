internal import ArgumentParser

/// The benchmarks for PerfKit's published figures, run by `Scripts/bench`.
@main
struct PerfBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure PerfKit's published figures.",
    subcommands: [
      SamplerBench.self, HarnessBench.self, ProfilerBench.self, ModulesBench.self,
      PalettesBench.self, ClaimsBench.self, HubBench.self,
      EvidenceBench.self,
    ])
}
