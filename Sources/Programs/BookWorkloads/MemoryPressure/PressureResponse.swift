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
    var refill: Refill?
  }

  /// The cache was emptied and is filling again.
  fileprivate struct Refill {
    let began: ContinuousClock.Instant
    let goalBytes: Int
  }

  static let counters = [
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

  private let covers: CoverCache
  private let isHandled: Bool
  private let state = Mutex(State())

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - covers: What gives memory back.
  ///   - isHandled: Whether anything is done; otherwise changes are counted and no more.
  init(covers: CoverCache, isHandled: Bool) {
    self.covers = covers
    self.isHandled = isHandled
  }

  /// Takes a message about memory; on a thread of the worker's.
  func take(_ level: PressureLevel) {
    let isDue = state.withLock { state in
      if state.level != level { state.transitions += 1 }
      state.level = level
      return state.isDue(level)
    }
    guard isHandled, isDue, let pressure = MemoryPressure(rawValue: level.rawValue) else { return }
    let before = heldBytes
    Signpost.reclaimBegin.emit()
    let freed = covers.reduce(under: pressure)
    Signpost.reclaimEnd.emit(Double(freed))
    guard freed > 0 else { return }
    state.withLock { state in
      state.freedBytes += freed
      state.endRefill()
      state.refill = Refill(began: .now, goalBytes: before * 9 / 10)
    }
  }

  /// Looks whether the cache is full again; on the frame thread, once a frame.
  func watch() {
    let held = heldBytes
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
    }
  }

  /// What the reader sees: large covers come back one page at a time.
  private var heldBytes: Int { covers.metrics(of: .thumbnail).memoryUsage }
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
