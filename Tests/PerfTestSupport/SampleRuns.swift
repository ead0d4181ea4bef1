public import PerfModel

/// Made-up runs of `scroll-1000` that resemble measured runs; equal arguments give equal runs.
///
/// `naive` decodes full covers on the main thread and misses most refreshes. Every other variant
/// behaves like `optimised` and misses one refresh in some hundred.
public enum SampleRuns {
  /// The start of the first run of a series: 2026-11-21T02:18:18Z.
  public static let firstStart = Timestamp(milliseconds: 1_795_227_498_000)

  /// The default commit of runs.
  public static let commit = "4f0c2d9e8b7a65143c2b1a09f8e7d6c5b4a39281"

  /// Returns a run.
  ///
  /// - Parameters:
  ///   - seed: The seed of all randomness, and a part of the id.
  ///   - variant: `naive` or `optimised`.
  ///   - scenario: The scenario's name.
  ///   - launches: The number of measured launches.
  ///   - warmup: The number of warm-up launches.
  ///   - samples: The samples of the profile over all measured launches; 0 for no profile.
  ///   - fling: Milliseconds of animation in a launch, half of it down and half up; 0 for neither
  ///     frames nor series.
  ///   - started: The start of the run.
  ///   - label: The label.
  ///   - commit: The built commit.
  ///   - id: The id; made of the seed and the variant if nil.
  ///   - statuses: The statuses of launches that did not complete, by index.
  ///   - wasInterrupted: Whether the user stopped the run.
  /// - Returns: A complete run: every list and optional of a measured run is filled.
  public static func run(
    seed: UInt64 = 1, variant: String = "optimised", scenario: String = "scroll-1000",
    launches: Int = 10, warmup: Int = 1, samples: Int = 4000, fling: Int = 4000,
    started: Timestamp = firstStart, label: String? = nil, commit: String = commit,
    id: String? = nil, statuses: [Int: Launch.Status] = [:], wasInterrupted: Bool = false
  ) -> Run {
    var random = SampleRandom(seed: seed &* 2 &+ (variant == "naive" ? 1 : 0))
    let measured = (0..<(warmup + launches)).map { index in
      SampleLaunch.make(
        index: index, isWarmup: index < warmup, status: statuses[index] ?? .completed,
        isNaive: variant == "naive", fling: fling, random: &random)
    }
    let names = Set(measured.flatMap(\.metrics.keys))
    let profiled = measured.filter { !$0.isWarmup && $0.status == .completed }
    return Run(
      id: id ?? "s\(seed)\(variant)", scenario: scenario, variant: variant, label: label,
      started: started, seed: seed, parameters: parameters(of: variant),
      command: ["run", "\(scenario)", "--variant", variant],
      environment: environment(commit: commit),
      definitions: MetricCatalog.standardDefinitions.filter { names.contains($0.name) },
      launches: measured, budgets: budgets,
      profile: samples > 0 && !profiled.isEmpty
        ? SampleProfile.make(
          of: profiled, samples: samples, isNaive: variant == "naive", random: &random) : nil,
      warnings: warnings(statuses), wasInterrupted: wasInterrupted)
  }

  /// The budgets of `scroll-1000`.
  public static let budgets = [
    Budget(
      metric: "frame.hitch_time_ratio", comparison: .atMost,
      limit: Quantity(5, .millisecondsPerSecond)),
    Budget(
      metric: "frame.overrun.p99", statistic: .max, comparison: .atMost,
      limit: Quantity(0, .milliseconds)),
    Budget(metric: "rss.peak", comparison: .atMost, limit: Quantity(150, .megabytes)),
    Budget(
      metric: "cache.hit_ratio", statistic: .percentile(10), comparison: .atLeast,
      limit: Quantity(80, .percent)),
  ]

  /// The facts of the simulated machine.
  public static func environment(commit: String = commit) -> Environment {
    var environment = Environment(facts: ["sample": "yes"])
    environment[.host] = "sample"
    environment[.system] = "Debian GNU/Linux 12"
    environment[.kernel] = "6.18.5"
    environment[.cpuModel] = "Sample CPU at 2.60GHz"
    environment[.cpuCount] = "2"
    environment[.memoryTotal] = "8.2 GB"
    environment[.loadAtStart] = "0.12"
    environment[.toolchain] = "Swift 6.3.1"
    environment[.configuration] = "release"
    environment[.buildIdentity] = "5a3f0c9d1e7b2846"
    environment[.commit] = commit
    environment[.dirty] = "false"
    environment[.capabilities] = "ticker, clear_refs, psi"
    environment[.injectors] = ""
    environment[.dataset] = "v1-seed7-1000"
    return environment
  }

  private static func parameters(of variant: String) -> Parameters {
    let shared: Parameters = [
      "books": .int(1000), "columns": .int(3), "refresh": .int(120), "fling": .int(4000),
      "deceleration": .double(0.998), "labels": .bool(true),
    ]
    let own: Parameters =
      variant == "naive"
      ? [
        "decode": .string("full"), "cache": .string("dictionary"),
        "loading": .string("main-thread"),
      ]
      : [
        "decode": .string("scaled"), "cache": .string("lru"), "loading": .string("async"),
        "prefetch": .int(20),
      ]
    return shared.merging(own) { _, own in own }
  }

  private static func warnings(_ statuses: [Int: Launch.Status]) -> [RunWarning] {
    let skipped = RunWarning(
      code: "cover.skipped", message: "2 of 1000 covers were no JPEG and were skipped",
      remedy: "Remove them from the covers folder, or leave it as it is.")
    let ended = statuses.sorted { $0.key < $1.key }.map { index, status in
      RunWarning(code: "iteration.failed", message: "launch \(index) \(status)")
    }
    return [skipped] + ended
  }
}
