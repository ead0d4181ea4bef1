internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Functions named in the profiles of simulated pairs.
extension EvidenceBench {
  private static let functions = 40
  private static let launchesPerPair = 4

  /// The numbers of launches and samples; about 25,000 samples per side.
  private struct Design {
    let pairs: Int
    let samples: Double

    /// Launches of 50 ms at 1 kHz.
    static let many = Design(pairs: 125, samples: 50)
    /// The most launches that the command makes, of 160 ms at 1 kHz.
    static let most = Design(pairs: LookSchedule.lastLook, samples: 157)
    /// The first look, with launches of 60 ms at 9.5 kHz.
    static let few = Design(pairs: LookSchedule.firstLook, samples: 570)

    var words: String { "25,000 samples per side in \(pairs) pairs" }
  }

  /// The index of the function with 5 % of the time.
  private static let slowed = 5

  /// The result of one comparison.
  private struct Named {
    let isRight: Bool
    let isFalse: Bool
  }

  func functions(_ table: FigureTable) {
    for noise in [SimulatedNoise.core, .together] {
      functions(noise, .many, target: 0.95, table)
      functions(noise, .most, target: 0.95, table)
      functions(noise, .few, target: nil, table)
    }
  }

  /// Counts the named functions in comparisons of one design.
  ///
  /// - Parameters:
  ///   - noise: The noise of the machine.
  ///   - design: The numbers of launches and samples.
  ///   - target: The required share of comparisons that name the function; nil for no requirement.
  ///   - table: The table for the figures.
  private func functions(
    _ noise: SimulatedNoise, _ design: Design, target: Double?, _ table: FigureTable
  ) {
    let count = max(1, series / 2)
    let slow = Parallel.map(count) { Self.compare(noise, design, 1.2, seed: seed &+ UInt64($0)) }
    let same = Parallel.map(count) {
      Self.compare(noise, design, 1, seed: seed &+ 0x1_0000_0000 &+ UInt64($0))
    }
    let right = Double(slow.count { $0.launches.isRight }) / Double(count)
    let wrong = slow.count { $0.launches.isFalse }
    let ranked = Double(slow.count { $0.ranks.isRight }) / Double(count)
    let named = target.map { "named in >= \(RuleTally.percent($0)), " } ?? ""
    table.add(
      "one function of 40 with 5 % of the time becomes 20 % slower, \(design.words); noise: "
        + noise.rawValue,
      target: "\(named)others in <= 5 %",
      measured: "named in \(RuleTally.percent(right)), others in \(Self.rate(wrong, of: count))",
      peer: "by signed ranks of the pairs' means: named in \(RuleTally.percent(ranked))",
      isMet: right >= target ?? 0 && RuleTally.keeps(0.05, wrong, of: count))
    let alarms = same.count { $0.launches.isFalse || $0.launches.isRight }
    table.add(
      "no function changes, \(design.words); noise: \(noise.rawValue)",
      target: "any named in <= 5 %", measured: Self.rate(alarms, of: count),
      isMet: RuleTally.keeps(0.05, alarms, of: count))
  }

  private static func rate(_ events: Int, of trials: Int) -> String {
    let bound = (try? Proportion.upperBound(events: events, trials: trials)) ?? 1
    return "\(RuleTally.percent(Double(events) / Double(max(trials, 1)))) (at most "
      + "\(RuleTally.percent(bound))), \(NumberFormat.grouped(trials)) comparisons"
  }

  /// Compares the same profiles by all launches, and by the ranks of the pairs' means.
  private static func compare(
    _ noise: SimulatedNoise, _ design: Design, _ factor: Double, seed: UInt64
  ) -> (launches: Named, ranks: Named) {
    var source = NoiseSource(noise, seed: seed)
    var generator = SeededGenerator(seed: ~seed)
    let order = PairOrder(seed: seed)
    var (base, candidate): ([[Double]], [[Double]]) = ([], [])
    for pair in 0..<design.pairs {
      for isCandidate in order.order(ofPair: pair, launches: launchesPerPair) {
        let level = exp(source.next())
        let times = launch(level, design.samples, isCandidate ? factor : 1, &generator)
        if isCandidate { candidate.append(times) } else { base.append(times) }
      }
    }
    return (
      named(base, candidate, launchesPerPair: launchesPerPair),
      named(means(base), means(candidate), launchesPerPair: 1)
    )
  }

  private static func named(
    _ base: [[Double]], _ candidate: [[Double]], launchesPerPair: Int
  ) -> Named {
    let named = FunctionComparer()
      .compare(run(base, "base"), run(candidate, "candidate"), launchesPerPair: launchesPerPair)
      .filter { $0.kind == .own && $0.isSignificant }
    return Named(
      isRight: named.contains { $0.key == "f\(slowed)" && $0.difference > 0 },
      isFalse: named.contains { $0.key != "f\(slowed)" })
  }

  /// Returns the mean times of the launches of each pair.
  private static func means(_ launches: [[Double]]) -> [[Double]] {
    stride(from: 0, to: launches.count, by: launchesPerPair).map { start in
      (0..<functions).map { function in
        launches[start..<(start + launchesPerPair)].reduce(0) { $0 + $1[function] }
          / Double(launchesPerPair)
      }
    }
  }

  /// Returns the CPU time of each function in a launch of 50 ms, in nanoseconds.
  ///
  /// The samples are scaled to the CPU clock, like in the profiler.
  private static func launch(
    _ level: Double, _ expected: Double, _ factor: Double, _ generator: inout SeededGenerator
  ) -> [Double] {
    // Shares fall as 1 / rank, except for the function with 5 %.
    let weights = (0..<functions).map { $0 == slowed ? 0 : 1 / Double($0 + 1) }
    let rest = weights.reduce(0, +)
    let times = weights.enumerated().map { index, weight in
      50 * level * (index == slowed ? 0.05 * factor : 0.95 * weight / rest)
    }
    let samples = times.map { Double(poisson($0 / 50 * expected, &generator)) }
    let scale = times.reduce(0, +) / max(samples.reduce(0, +), 1)
    return samples.map { 1e6 * scale * $0 }
  }

  /// Draws a Poisson number by Knuth's method: multiply uniform numbers until they are less than
  /// e^-mean.
  private static func poisson(_ mean: Double, _ generator: inout SeededGenerator) -> Int {
    let limit = exp(-mean)
    var (product, count) = (generator.nextUniform(), 0)
    while product > limit {
      product *= generator.nextUniform()
      count += 1
    }
    return count
  }

  private static func run(_ launches: [[Double]], _ id: String) -> Run {
    let counts = launches.enumerated().flatMap { launch, times in
      times.enumerated().compactMap { function, time in
        time > 0
          ? Profile.Count(
            launch: launch, node: function, thread: 0, phase: 0, frameClass: .none,
            state: .running, samples: Int((time / 1e6).rounded()), weight: time) : nil
      }
    }
    let profile = Profile(
      functions: (0..<functions).map {
        Profile.Function(name: "f\($0)", key: "f\($0)", module: "m", file: nil)
      },
      nodes: (0..<functions).map {
        Profile.Node(parent: -1, function: $0, line: 0, isInlined: false)
      },
      threads: [Profile.Thread(name: "main", cpu: 0)], phases: [""], counts: counts,
      timeline: [:], audit: ProfileAudit())
    return Run(
      id: id, scenario: "simulated", variant: "simulated", label: nil,
      started: Timestamp(milliseconds: 0), seed: 0, parameters: [:], command: [],
      environment: Environment(facts: [:]), definitions: [],
      launches: launches.indices.map {
        Launch(index: $0, isWarmup: false, status: .completed, offset: 0)
      },
      budgets: [], profile: profile, warnings: [], wasInterrupted: false)
  }
}
