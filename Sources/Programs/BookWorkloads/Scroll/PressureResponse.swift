internal import CoverCache
internal import PerfWorkload
internal import Synchronization

/// The response of the app to memory pressure, with its costs.
final class PressureResponse: Sendable {
  fileprivate struct State {
    var level = PressureLevel.normal
    /// The last level with a response, and the time of the response.
    var answered: (level: PressureLevel, at: ContinuousClock.Instant)?
    var transitions = 0
    var freedBytes = 0
    var longestRefill = 0
    /// The smallest fraction of each tier that a response kept, by the level of the response.
    var kept: [PressureLevel: [CoverKind: Double]] = [:]
    var refill: Refill?
  }

  /// A cache that is filling again after a response.
  fileprivate struct Refill {
    let began: ContinuousClock.Instant
    let goalBytes: Int
  }

  static let counters: [CounterDeclaration] =
    [
      .count("pressure.transitions", .neutral, "Changes of the pressure level."),
      .bytes(
        "pressure.freed", .higher, "Bytes of covers that were freed because of memory pressure."),
      .time(
        "pressure.refill", .lower,
        "Longest time from a response until 90 % of the small covers were in memory again."),
    ]
    + answeredLevels.flatMap { level in
      CoverKind.allCases.map { kind in
        CounterDeclaration.ratio(
          keptName(of: kind, at: level), .neutral,
          "Smallest share of the \(kind.rawValue) bytes that a response at this level kept; "
            + "1 if there was no response.")
      }
    }

  private static let answeredLevels: [PressureLevel] = [.warning, .urgent, .critical]

  private static func keptName(of kind: CoverKind, at level: PressureLevel) -> String {
    "pressure.kept_\(kind.rawValue)s.\(level.rawValue)"
  }

  private let covers: CoverCache
  private let strategy: PressureStrategy
  private let state = Mutex(State())

  /// Creates a response; the strategy `none` only counts changes of the level.
  init(covers: CoverCache, strategy: PressureStrategy) {
    self.covers = covers
    self.strategy = strategy
  }

  /// Handles a message about memory pressure, on a thread of PerfKit.
  func take(_ level: PressureLevel, use: Double) {
    let isDue = state.withLock { state in
      if state.level != level { state.transitions += 1 }
      state.level = level
      return state.isDue(level)
    }
    guard strategy != .none, isDue else { return }
    let before = heldBytes
    Signpost.reclaimBegin.emit()
    let freed = covers.reduce(atUse: use, by: strategy)
    Signpost.reclaimEnd.emit(Double(freed))
    let after = heldBytes
    state.withLock { state in
      state.note(level, before: before, after: after)
      guard freed > 0 else { return }
      state.freedBytes += freed
      state.endRefill()
      state.refill = Refill(began: .now, goalBytes: before[.thumbnail, default: 0] * 9 / 10)
    }
  }

  /// Checks whether the cache is full again; called once per frame on the frame thread.
  func watch() {
    let held = covers.metrics(of: .thumbnail).memoryUsage
    state.withLock { state in
      if let refill = state.refill, held >= refill.goalBytes { state.endRefill() }
    }
  }

  func report(to context: MeasurementContext) {
    state.withLock { state in
      state.endRefill()
      context.report("pressure.transitions", state.transitions)
      context.report("pressure.freed", state.freedBytes)
      context.report("pressure.refill", state.longestRefill)
      for level in Self.answeredLevels {
        for kind in CoverKind.allCases {
          context.report(Self.keptName(of: kind, at: level), state.kept[level]?[kind] ?? 1)
        }
      }
    }
  }

  private var heldBytes: [CoverKind: Int] {
    Dictionary(
      uniqueKeysWithValues: CoverKind.allCases.map { ($0, covers.metrics(of: $0).memoryUsage) })
  }
}

extension PressureResponse.State {
  /// Returns whether the level requires a response now.
  ///
  /// The case study checks every two seconds. In between, only a worse level causes a response,
  /// because a single decode can cross a threshold many times.
  fileprivate mutating func isDue(_ level: PressureLevel) -> Bool {
    guard level != .normal else { return false }
    let now = ContinuousClock.now
    if let answered, level <= answered.level, now - answered.at < .seconds(2) { return false }
    answered = (level, now)
    return true
  }

  /// Records the fraction that a response kept of each tier that was not empty.
  fileprivate mutating func note(
    _ level: PressureLevel, before: [CoverKind: Int], after: [CoverKind: Int]
  ) {
    for (kind, bytes) in before where bytes > 0 {
      let share = Double(after[kind, default: 0]) / Double(bytes)
      kept[level, default: [:]][kind] = min(share, kept[level]?[kind] ?? 1)
    }
  }

  /// Ends a refill; an incomplete refill counts with its time so far.
  fileprivate mutating func endRefill() {
    guard let began = refill?.began else { return }
    longestRefill = max(longestRefill, (ContinuousClock.now - began).nanoseconds)
    refill = nil
  }
}

extension Signpost {
  fileprivate static let reclaimBegin: Signpost = "reclaim.begin"
  fileprivate static let reclaimEnd: Signpost = "reclaim.end"
}
