internal import CoverCache
internal import PerfWorkload
internal import Synchronization

/// What the app does when memory becomes short, and what it costs.
final class PressureResponse: Sendable {
  fileprivate struct State {
    var level = PressureLevel.normal
    /// The last level that something was done about, and when.
    var answered: (level: PressureLevel, at: ContinuousClock.Instant)?
    var transitions = 0
    var freedBytes = 0
    var longestRefill = 0
    /// The least part of each tier that a response has left, by the level that it answered.
    var kept: [PressureLevel: [CoverKind: Double]] = [:]
    var refill: Refill?
  }

  /// The cache was emptied and is filling again.
  fileprivate struct Refill {
    let began: ContinuousClock.Instant
    let goalBytes: Int
  }

  static let counters: [CounterDeclaration] =
    [
      CounterDeclaration(
        "pressure.transitions", unit: .count, direction: .neutral,
        "Changes of the pressure level that the worker was told of."),
      CounterDeclaration(
        "pressure.freed", unit: .bytes, direction: .higher,
        "Bytes of covers that left because memory was short."),
      CounterDeclaration(
        "pressure.refill", unit: .nanoseconds, direction: .lower,
        "Longest time from a response until nine tenths of the small covers were held again."),
    ]
    + answeredLevels.flatMap { level in
      CoverKind.allCases.map { kind in
        CounterDeclaration(
          keptName(of: kind, at: level), unit: .ratio, direction: .neutral,
          "Bytes of \(kind.rawValue)s that a response at this level left, of those that it found: the "
            + "least of all responses, since loads go on meanwhile; all where there was none.")
      }
    }

  private static let answeredLevels: [PressureLevel] = [.warning, .urgent, .critical]

  private static func keptName(of kind: CoverKind, at level: PressureLevel) -> String {
    "pressure.kept_\(kind.rawValue)s.\(level.rawValue)"
  }

  private let covers: CoverCache
  private let strategy: PressureStrategy
  private let state = Mutex(State())

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - covers: What gives memory back.
  ///   - strategy: How; with `none` changes are counted and no more.
  init(covers: CoverCache, strategy: PressureStrategy) {
    self.covers = covers
    self.strategy = strategy
  }

  /// Takes a message about memory; on a thread of the worker's.
  ///
  /// - Parameters:
  ///   - level: How short memory is.
  ///   - use: The part of the budget that is used.
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

  /// Looks whether the cache is full again; on the frame thread, once a frame.
  func watch() {
    let held = covers.metrics(of: .thumbnail).memoryUsage
    state.withLock { state in
      if let refill = state.refill, held >= refill.goalBytes { state.endRefill() }
    }
  }

  /// Reports what has happened.
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
  /// Whether to do something about a level now.
  ///
  /// The case study looked every two seconds. In between only a worse level is answered: a decode
  /// moves the footprint over a border and back many times.
  fileprivate mutating func isDue(_ level: PressureLevel) -> Bool {
    guard level != .normal else { return false }
    let now = ContinuousClock.now
    if let answered, level <= answered.level, now - answered.at < .seconds(2) { return false }
    answered = (level, now)
    return true
  }

  /// Takes down what a response has left of each tier that held anything.
  fileprivate mutating func note(
    _ level: PressureLevel, before: [CoverKind: Int], after: [CoverKind: Int]
  ) {
    for (kind, bytes) in before where bytes > 0 {
      let share = Double(after[kind, default: 0]) / Double(bytes)
      kept[level, default: [:]][kind] = min(share, kept[level]?[kind] ?? 1)
    }
  }

  /// Ends a refill; one that was not complete counts for as long as it took.
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
