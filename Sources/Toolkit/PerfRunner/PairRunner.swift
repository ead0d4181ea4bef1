public import PerfModel
public import PerfProfile

/// Measures two sides in pairs: blocks of launches of both, in turn.
///
/// One side after the other would take the drift of the machine for a change: of 40 repetitions of
/// 15 against 15 runs of one program, a rank test at 0.05 called a difference in 32.5 %, and in 7.5 %
/// when the launches were interleaved.
public struct PairRunner: Sendable {
  /// One of the two.
  public enum Side: Sendable, Hashable {
    /// What it was before.
    case base
    /// What it is now.
    case candidate
  }

  /// How far a measurement is.
  public struct Progress: Sendable {
    /// Pairs that are complete.
    public let pairs: Int
    /// Launches a side and pair.
    public let launchesPerPair: Int
    /// The base's launches in order; those that are thrown away come first.
    public let base: [Launch]
    /// The candidate's.
    public let candidate: [Launch]
    /// Nanoseconds that a pair took, in the mean; zero before the first one.
    public let timePerPair: UInt64
  }

  private let base: ScenarioRunner
  private let candidate: ScenarioRunner
  private let plan: PairPlan
  private let isCancelled: @Sendable () -> Bool

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - base: Makes the base's launches.
  ///   - candidate: Makes the candidate's.
  ///   - plan: What is decided before.
  ///   - isCancelled: Whether the user wants to stop; asked before each launch.
  public init(
    base: ScenarioRunner, candidate: ScenarioRunner, plan: PairPlan,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.base = base
    self.candidate = candidate
    self.plan = plan
    self.isCancelled = isCancelled
  }

  /// Measures pair after pair.
  ///
  /// The first pair is thrown away. A launch that crashes, hangs or is killed is recorded as such;
  /// when none of a side's first ones completes, no pair is measured.
  ///
  /// - Parameters:
  ///   - symbols: Where names of addresses are kept.
  ///   - symbolication: The process that reads symbols and debug information.
  ///   - observe: Called in order with what happens to a side.
  ///   - goesOn: Asked before the first pair and after each complete one, the last one too.
  /// - Returns: What was measured up to its end or the user's stop; nil when he stopped it before the
  ///   first launch.
  /// - Throws: `RunnerError`; whatever the closures throw.
  public func run(
    symbols: any SymbolCache, symbolication: Symbolication = .inProcess,
    observe: (Side, RunEvent) throws -> Void,
    goesOn: (Progress) throws -> Bool
  ) throws -> PairOutcome? {
    guard
      let first = try base.prepare(
        symbols: symbols, symbolication: symbolication, observe: { try observe(.base, $0) }),
      let second = try candidate.prepare(
        symbols: symbols, symbolication: symbolication,
        observe: { try observe(.candidate, $0) })
    else { return nil }
    var launches = Launches(base: first.launcher, candidate: second.launcher)
    try measure(&launches, observe: observe, goesOn: goesOn)
    try observe(.base, .analysing)
    func outcome(
      _ side: (launcher: Launcher, ready: ScenarioRunner.SetupAnswer), _ launches: [Launch]
    ) -> RunOutcome {
      RunOutcome(
        launches: launches, profile: side.launcher.finishProfile(),
        warnings: side.ready.warnings + side.launcher.warnings, notes: side.ready.notes,
        wasInterrupted: isCancelled())
    }
    return PairOutcome(
      base: outcome(first, launches.of[.base] ?? []),
      candidate: outcome(second, launches.of[.candidate] ?? []), pairs: launches.pairs,
      launchesPerPair: launches.perPair)
  }

  /// What was launched so far.
  private struct Launches {
    let base: Launcher
    let candidate: Launcher
    var of: [Side: [Launch]] = [.base: [], .candidate: []]
    var perPair = 1
    var pairs = 0
    var began = SystemCalls.now()

    init(base: Launcher, candidate: Launcher) {
      self.base = base
      self.candidate = candidate
    }

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
    launches.perPair = plan.launchesPerPair(
      first.compactMap { $0.metrics[MetricName.wall] }.max() ?? 0)
    let rest = launches.perPair - 1
    let others = Array(repeating: [Side.base, .candidate], count: rest).flatMap(\.self)
    guard try launch(others, isWarmup: true, &launches, observe) else { return }
    launches.began = SystemCalls.now()
    // In this order: the last pair may decide everything, and is to be told as well.
    while try goesOn(launches.progress), launches.pairs < plan.maxPairs {
      let order = plan.order(launches.pairs, launches.perPair)
      guard try launch(order, isWarmup: false, &launches, observe) else { return }
      launches.pairs += 1
    }
  }

  /// Returns false when the user stopped it.
  private func launch(
    _ order: [Side], isWarmup: Bool, _ launches: inout Launches,
    _ observe: (Side, RunEvent) throws -> Void
  ) throws -> Bool {
    for side in order {
      guard !isCancelled() else { return false }
      let launcher = side == .base ? launches.base : launches.candidate
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

/// What is decided before the first launch.
public struct PairPlan: Sendable {
  /// Pairs at most.
  public var maxPairs: Int
  /// Launches a side and pair, from what the first launches took at most, in nanoseconds.
  public var launchesPerPair: @Sendable (_ slowest: Double) -> Int
  /// The order of a pair's launches, from its number and the launches a side.
  public var order: @Sendable (_ pair: Int, _ launches: Int) -> [PairRunner.Side]

  /// Creates a plan.
  public init(
    maxPairs: Int, launchesPerPair: @escaping @Sendable (_ slowest: Double) -> Int,
    order: @escaping @Sendable (_ pair: Int, _ launches: Int) -> [PairRunner.Side]
  ) {
    self.maxPairs = maxPairs
    self.launchesPerPair = launchesPerPair
    self.order = order
  }
}

/// What came of both sides.
public struct PairOutcome: Sendable {
  /// The base's launches and profile.
  public let base: RunOutcome
  /// The candidate's.
  public let candidate: RunOutcome
  /// Pairs that are complete.
  public let pairs: Int
  /// Launches a side and pair.
  public let launchesPerPair: Int
}
