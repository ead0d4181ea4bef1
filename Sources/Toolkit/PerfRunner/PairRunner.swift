public import PerfModel
public import PerfProfile

/// Measures two sides in pairs: interleaved blocks of launches of both sides.
///
/// One side after the other would mistake the machine's drift for a change. In 40 repetitions of 15
/// against 15 runs of one program, a rank test at 0.05 reported a difference in 32.5 %; with
/// interleaved launches in 7.5 %.
public struct PairRunner: Sendable {
  /// One side of a comparison.
  public enum Side: Sendable, Hashable {
    /// The side before the change.
    case base
    /// The side after the change.
    case candidate
  }

  /// The progress of a measurement.
  public struct Progress: Sendable {
    /// The number of complete pairs.
    public let pairs: Int
    /// Launches per side and pair.
    public let launchesPerPair: Int
    /// The base's launches in order, the discarded ones first.
    public let base: [Launch]
    /// The candidate's launches in order, the discarded ones first.
    public let candidate: [Launch]
    /// The mean duration of a pair in nanoseconds; zero before the first pair.
    public let timePerPair: UInt64
  }

  private let base: ScenarioRunner
  private let candidate: ScenarioRunner
  private let maxPairs: Int
  private let warmup: Int
  private let firstPair: Int
  private let launchesPerPair: @Sendable (_ slowest: Double) -> Int
  private let order: @Sendable (_ pair: Int, _ launches: Int) -> [PairRunner.Side]
  private let isCancelled: @Sendable () -> Bool

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - base: The runner of the base's launches.
  ///   - candidate: The runner of the candidate's launches.
  ///   - maxPairs: The maximum number of pairs.
  ///   - warmup: The least number of launches of each side that are discarded.
  ///   - firstPair: The number of the first pair, which chooses the layout.
  ///   - launchesPerPair: Chooses the launches per side and pair from the slowest first launch, in
  ///     nanoseconds.
  ///   - order: Chooses the order of launches from the number of a pair and the launches per side.
  ///   - isCancelled: Whether the user wants to stop; called before each launch.
  public init(
    base: ScenarioRunner, candidate: ScenarioRunner, maxPairs: Int, warmup: Int = 0,
    firstPair: Int = 0, launchesPerPair: @escaping @Sendable (_ slowest: Double) -> Int,
    order: @escaping @Sendable (_ pair: Int, _ launches: Int) -> [PairRunner.Side],
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.base = base
    self.candidate = candidate
    self.maxPairs = maxPairs
    self.warmup = warmup
    self.firstPair = firstPair
    self.launchesPerPair = launchesPerPair
    self.order = order
    self.isCancelled = isCancelled
  }

  /// Measures pairs until `goesOn` returns false, the largest number is reached, or the user stops.
  ///
  /// Warm-up launches come first, and belong to no pair. A launch that crashes, hangs or is killed
  /// is recorded. If a side's first launch does not complete, no pair is measured.
  ///
  /// - Parameters:
  ///   - symbols: The cache of resolved addresses; nil for none.
  ///   - symbolication: Where functions are named.
  ///   - observe: Is called with each event of a side.
  ///   - goesOn: Returns whether another pair is measured; it is called after each pair.
  /// - Returns: The outcomes of both sides; nil if the user stopped the preparation.
  /// - Throws: `RunnerError`; errors of the closures.
  public func run(
    symbols: SymbolCache?, symbolication: Symbolication = .inProcess,
    observe: (Side, RunEvent) throws -> Void,
    goesOn: (Progress) throws -> Bool
  ) throws -> (base: RunOutcome, candidate: RunOutcome)? {
    guard
      let first = try base.prepare(
        symbols: symbols, symbolication: symbolication, observe: { try observe(.base, $0) }),
      let second = try candidate.prepare(
        symbols: symbols, symbolication: symbolication,
        observe: { try observe(.candidate, $0) })
    else { return nil }
    (first.side, second.side) = ("base", "candidate")
    var launches = Launches(base: first, candidate: second)
    try measure(&launches, observe: observe, goesOn: goesOn)
    try observe(.base, .analysing)
    func outcome(_ side: Side, _ launcher: Launcher) -> RunOutcome {
      launcher.outcome(launches.of[side] ?? [], wasInterrupted: isCancelled())
    }
    return (outcome(.base, first), outcome(.candidate, second))
  }

  /// The launches made so far.
  private struct Launches {
    let base: Launcher
    let candidate: Launcher
    var of: [Side: [Launch]] = [.base: [], .candidate: []]
    var perPair = 1
    var pairs = 0
    var began = SystemCalls.now()

    var progress: Progress {
      Progress(
        pairs: pairs, launchesPerPair: perPair, base: of[.base] ?? [],
        candidate: of[.candidate] ?? [],
        timePerPair: pairs == 0 ? 0 : (SystemCalls.now() - began) / UInt64(pairs))
    }
  }

  private func measure(
    _ launches: inout Launches, observe: (Side, RunEvent) throws -> Void,
    goesOn: (Progress) throws -> Bool
  ) throws {
    guard try launch([.base, .candidate], isWarmup: true, &launches, observe) else { return }
    let first = launches.of.values.compactMap(\.first)
    guard first.allSatisfy({ $0.status == .completed }) else { return }
    launches.perPair = launchesPerPair(
      first.compactMap { $0.metrics[MetricName.wall] }.max() ?? 0)
    let rest = max(launches.perPair, warmup) - 1
    let others = Array(repeating: [Side.base, .candidate], count: rest).flatMap(\.self)
    guard try launch(others, isWarmup: true, &launches, observe) else { return }
    launches.began = SystemCalls.now()
    // In this order, `goesOn` is called after the last pair as well.
    while try goesOn(launches.progress), launches.pairs < maxPairs {
      let sides = order(launches.pairs, launches.perPair)
      guard try launch(sides, isWarmup: false, &launches, observe) else { return }
      launches.pairs += 1
    }
  }

  /// Makes launches in an order; returns false if the user stopped.
  private func launch(
    _ sides: [Side], isWarmup: Bool, _ launches: inout Launches,
    _ observe: (Side, RunEvent) throws -> Void
  ) throws -> Bool {
    for side in sides {
      guard !isCancelled() else { return false }
      let launcher = side == .base ? launches.base : launches.candidate
      launcher.pair = firstPair + launches.pairs
      let index = launches.of[side, default: []].count
      try observe(side, .launching(index: index, total: 0, isWarmup: isWarmup))
      let launch = try launcher.launch(index: index, isWarmup: isWarmup)
      launches.of[side, default: []].append(launch)
      try observe(side, .launched(launch))
      if launch.status == .interrupted { return false }
    }
    return true
  }
}
