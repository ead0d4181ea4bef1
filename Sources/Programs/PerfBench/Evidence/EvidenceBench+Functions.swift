internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Functions named in the profiles of simulated pairs.
extension EvidenceBench {
  private static let functions = 40
  /// Launches of 50 ms at 1 kHz: 25,000 samples a side.
  private static let launches = 500
  /// The place of the function that holds 5 %.
  private static let slowed = 5

  /// What was named in one comparison.
  private struct Named {
    let isRight: Bool
    let isFalse: Bool
  }

  func functions(_ table: FigureTable) {
    for noise in [SimulatedNoise.core, .together] { functions(noise, table) }
  }

  private func functions(_ noise: SimulatedNoise, _ table: FigureTable) {
    let count = max(1, series / 2)
    let slow = Parallel.map(count) { Self.compare(noise, 1.2, seed: seed &+ UInt64($0)) }
    let same = Parallel.map(count) {
      Self.compare(noise, 1, seed: seed &+ 0x1_0000_0000 &+ UInt64($0))
    }
    let right = Double(slow.count { $0.isRight }) / Double(count)
    let wrong = slow.count { $0.isFalse }
    table.add(
      "one function of 40 that holds 5 % becomes 20 % slower, 25,000 samples a side; noise: "
        + noise.rawValue,
      target: "named in >= 95 %, others in <= 5 %",
      measured: "named in \(RuleTally.percent(right)), others in \(Self.rate(wrong, of: count))",
      isMet: right >= 0.95 && RuleTally.keeps(0.05, wrong, of: count))
    let alarms = same.count { $0.isFalse || $0.isRight }
    table.add(
      "no function changes, 25,000 samples a side; noise: \(noise.rawValue)",
      target: "any named in <= 5 %", measured: Self.rate(alarms, of: count),
      isMet: RuleTally.keeps(0.05, alarms, of: count))
  }

  private static func rate(_ events: Int, of trials: Int) -> String {
    let bound = (try? Proportion.upperBound(events: events, trials: trials)) ?? 1
    return "\(RuleTally.percent(Double(events) / Double(max(trials, 1)))) (at most "
      + "\(RuleTally.percent(bound))), \(NumberFormat.grouped(trials)) comparisons"
  }

  private static func compare(_ noise: SimulatedNoise, _ factor: Double, seed: UInt64) -> Named {
    var source = NoiseSource(noise, seed: seed)
    var generator = SeededGenerator(seed: ~seed)
    // Base and candidate take turns, so that both meet the same states of the machine.
    var (base, candidate): ([[Double]], [[Double]]) = ([], [])
    for _ in 0..<launches {
      base.append(launch(exp(source.next()), 1, &generator))
      candidate.append(launch(exp(source.next()), factor, &generator))
    }
    let named = FunctionComparer()
      .compare(run(base, "base"), run(candidate, "candidate"), launchesPerPair: 4)
      .filter { $0.kind == .own && $0.isSignificant }
    return Named(
      isRight: named.contains { $0.key == "f\(slowed)" && $0.difference > 0 },
      isFalse: named.contains { $0.key != "f\(slowed)" })
  }

  /// Returns the CPU time of each function in a launch: its samples, one a millisecond, scaled to the
  /// CPU clock as the profiler does.
  private static func launch(
    _ level: Double, _ factor: Double, _ generator: inout SeededGenerator
  ) -> [Double] {
    // Shares fall as 1 / rank but for the one of 5 %.
    let weights = (0..<functions).map { $0 == slowed ? 0 : 1 / Double($0 + 1) }
    let rest = weights.reduce(0, +)
    let times = weights.enumerated().map { index, weight in
      50 * level * (index == slowed ? 0.05 * factor : 0.95 * weight / rest)
    }
    let samples = times.map { Double(poisson($0, &generator)) }
    let scale = times.reduce(0, +) / max(samples.reduce(0, +), 1)
    return samples.map { 1e6 * scale * $0 }
  }

  /// Knuth's way: multiply uniform numbers until they are less than e^-mean.
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
            iteration: launch, node: function, thread: 0, phase: 0, frameClass: .none,
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
      iterations: launches.indices.map {
        Iteration(index: $0, isWarmup: false, status: .completed, offset: 0)
      },
      budgets: [], profile: profile, warnings: [], wasInterrupted: false)
  }
}
