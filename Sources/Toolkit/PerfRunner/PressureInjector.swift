internal import Glibc
internal import PerfModel
internal import PerfProtocol
internal import Synchronization

/// Allocated memory whose size follows a schedule.
final class Ballast: Sendable {
  private struct State {
    var base: UnsafeMutableRawPointer?
    var bytes = 0
  }

  private let state: Mutex<State>
  private let capacity: Int

  /// Reserves addresses for a maximum number of bytes without allocating memory.
  init(capacity: UInt64) {
    self.capacity = Int(capacity)
    let base = mmap(
      nil, max(self.capacity, 1), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE), -1, 0)
    nonisolated(unsafe) let mapped = base == MAP_FAILED ? nil : base
    state = Mutex(State(base: mapped))
  }

  deinit {
    let base = state.withLock { state -> UInt in
      defer { state.base = nil }
      return UInt(bitPattern: state.base)
    }
    if let base = UnsafeMutableRawPointer(bitPattern: base) { munmap(base, max(capacity, 1)) }
  }

  /// Changes the ballast towards a size, growing by at most `step` bytes, and returns its size.
  ///
  /// Each page gets a different word, so that the kernel can neither share nor merge pages.
  func resize(to wanted: UInt64, step: Int) -> UInt64 {
    let page = SystemCalls.pageBytes
    return state.withLock { state in
      guard let base = state.base else { return 0 }
      let target = min(Int(min(wanted, UInt64(Int.max))), capacity) / page * page
      if target < state.bytes {
        madvise(base + target, state.bytes - target, MADV_DONTNEED)
        state.bytes = target
      }
      let end = min(target, state.bytes + step)
      while state.bytes < end {
        base.storeBytes(
          of: UInt64(state.bytes) &* 0x9E37_79B9_7F4A_7C15, toByteOffset: state.bytes,
          as: UInt64.self)
        state.bytes += page
      }
      return UInt64(state.bytes)
    }
  }
}

/// Applies memory pressure by a schedule while a worker is measured, and reports the levels to it.
final class PressureInjector: Sendable {
  private struct State {
    var ramp: PressureRamp
    /// CLOCK_MONOTONIC of the first tick.
    var began: UInt64?
    var lastLevel: PressureLevel?
    var times: [UInt64] = []
    var fractions: [Double] = []
  }

  private let state: Mutex<State>
  private let ballast: Ballast
  private let budget: UInt64
  private let footprint: @Sendable () -> UInt64?
  private let tell: @Sendable (HarnessMessage.MemoryPressure) -> Void

  /// Creates an injector.
  ///
  /// The schedule begins with the first `tick()`, which must be called about every 20 ms.
  init(
    steps: [Scenario.PressureStep], budget: UInt64,
    footprint: @escaping @Sendable () -> UInt64?,
    tell: @escaping @Sendable (HarnessMessage.MemoryPressure) -> Void
  ) {
    state = Mutex(State(ramp: PressureRamp(steps: steps, budget: budget)))
    ballast = Ballast(capacity: budget)
    self.budget = budget
    self.footprint = footprint
    self.tell = tell
  }

  /// 8 MiB take about 27 ms, at 13 us per fresh page.
  private static let step = 8 << 20

  /// Updates the ballast, and reports a changed level to the worker.
  func tick() {
    let now = SystemCalls.now()
    guard let footprint = footprint() else { return }
    let (time, wanted) = state.withLock { state in
      let time = now - (state.began ?? now)
      state.began = now - time
      return (time, state.ramp.ballast(at: time, footprint: footprint))
    }
    let taken = ballast.resize(to: wanted, step: Self.step)
    let pressure = HarnessMessage.MemoryPressure(
      budget: budget, footprint: footprint, ballast: taken)
    let isNews = state.withLock { state in
      state.times.append(time)
      state.fractions.append(pressure.fraction)
      defer { state.lastLevel = pressure.level }
      return state.lastLevel != pressure.level
    }
    if isNews { tell(pressure) }
  }

  /// Returns the used fraction of the budget over time.
  func series() -> TimeSeries {
    state.withLock {
      TimeSeries(
        name: "pressure.fraction", dimension: .ratio, times: $0.times, values: $0.fractions)
    }
  }
}
