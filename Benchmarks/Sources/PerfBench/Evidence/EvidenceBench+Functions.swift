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
    static let most = Design(pairs: LookSchedule.usualPairs, samples: 157)
    /// The first look, with launches of 60 ms at 9.5 kHz.
    static let few = Design(pairs: LookSchedule.firstLook, samples: 570)

    var words: String { "25,000 samples per side in \(pairs) pairs" }
  }

  /// The index of the function that becomes slower.
  private static let slowed = 5

  /// A slowed function.
  private struct Slowing {
    /// Its share of the time.
    let share: Double
    var factor = 1.2
    /// The functions in the hunks of the change.
    var touched: Set<String> = []
  }

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
      hunks(noise, .most, named: "25,000", limit: 0.57, table)
      hunks(
        noise, Design(pairs: LookSchedule.usualPairs, samples: 625), named: "100,000", limit: 0.99,
        table)
    }
  }

  /// Counts how often a function of 1 % is named inside and outside of the hunks.
  ///
  /// The limit is the power of the best test of counts, which has all the error of 5 %. Of n samples
  /// per side the function has n / 100 and 1.2 n / 100, whose difference has the standard deviation
  /// (0.022 n)^(1/2): 2.13 of it for 25,000 samples, 4.26 for 100,000, against 1.96.
  private func hunks(
    _ noise: SimulatedNoise, _ design: Design, named samples: String, limit: Double,
    _ table: FigureTable
  ) {
    let count = max(1, series / 2)
    func share(_ touched: Set<String>) -> (right: Double, wrong: Int) {
      let slowing = Slowing(share: 0.01, touched: touched)
      let results = Parallel.map(count) {
        Self.launches(noise, design, slowing, seed: seed &+ UInt64($0)).named
      }
      return (
        Double(results.count(where: \.isRight)) / Double(count), results.count(where: \.isFalse)
      )
    }
    let (alone, three, none) = (
      share(["f\(Self.slowed)"]), share(["f\(Self.slowed)", "f2", "f20"]), share([])
    )
    table.add(
      "one function of 40 with 1 % of the time, inside the hunks, becomes 20 % slower, "
        + "\(samples) samples per side in \(design.pairs) pairs; noise: \(noise.rawValue)",
      target: "named in >= 95 %, others in <= 5 %",
      measured: "named in \(RuleTally.percent(alone.right)), others in "
        + "\(Self.rate(alone.wrong, of: count)); with two more functions in the hunks named in "
        + RuleTally.percent(three.right),
      peer:
        "without hunks: named in \(RuleTally.percent(none.right)); the best test of counts with "
        + "an error of 5 %: named in \(RuleTally.percent(limit))",
      isMet: alone.right >= 0.95 && RuleTally.keeps(0.05, alone.wrong, of: count))
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
    let slow = Parallel.map(count) {
      Self.compare(noise, design, Slowing(share: 0.05), seed: seed &+ UInt64($0))
    }
    let same = Parallel.map(count) {
      Self.compare(
        noise, design, Slowing(share: 0.05, factor: 1), seed: seed &+ 0x1_0000_0000 &+ UInt64($0))
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

  /// The times of the launches of both sides.
  private struct Launches {
    let base: [[Double]]
    let candidate: [[Double]]
    let touched: Set<String>

    /// The functions that are named by all launches.
    var named: Named {
      EvidenceBench.named(
        base, candidate, launchesPerPair: EvidenceBench.launchesPerPair, touched: touched)
    }
  }

  private static func launches(
    _ noise: SimulatedNoise, _ design: Design, _ slowing: Slowing, seed: UInt64
  ) -> Launches {
    var source = NoiseSource(noise, seed: seed)
    var generator = SeededGenerator(seed: ~seed)
    let order = PairOrder(seed: seed)
    var (base, candidate): ([[Double]], [[Double]]) = ([], [])
    for pair in 0..<design.pairs {
      for isCandidate in order.order(ofPair: pair, launches: launchesPerPair) {
        let times = launch(
          exp(source.next()), design.samples, slowing.share, isCandidate ? slowing.factor : 1,
          &generator)
        if isCandidate { candidate.append(times) } else { base.append(times) }
      }
    }
    return Launches(base: base, candidate: candidate, touched: slowing.touched)
  }

  /// Compares the same profiles by all launches, and by the ranks of the pairs' means.
  private static func compare(
    _ noise: SimulatedNoise, _ design: Design, _ slowing: Slowing, seed: UInt64
  ) -> (launches: Named, ranks: Named) {
    let launches = launches(noise, design, slowing, seed: seed)
    return (
      launches.named,
      named(
        means(launches.base), means(launches.candidate), launchesPerPair: 1,
        touched: launches.touched)
    )
  }

  private static func named(
    _ base: [[Double]], _ candidate: [[Double]], launchesPerPair: Int, touched: Set<String>
  ) -> Named {
    let named = FunctionComparer(touched: touched)
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
    _ level: Double, _ expected: Double, _ share: Double, _ factor: Double,
    _ generator: inout SeededGenerator
  ) -> [Double] {
    // Shares fall as 1 / rank, except for the slowed function.
    let weights = (0..<functions).map { $0 == slowed ? 0 : 1 / Double($0 + 1) }
    let rest = weights.reduce(0, +)
    let times = weights.enumerated().map { index, weight in
      50 * level * (index == slowed ? share * factor : (1 - share) * weight / rest)
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
