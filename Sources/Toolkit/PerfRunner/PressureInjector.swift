internal import Glibc
internal import PerfModel
internal import PerfProtocol
internal import Synchronization

/// Allocated memory whose size follows a schedule.
final class Ballast: Sendable {
  /// The address of the reserved memory; 0 if none could be reserved.
  private let address: UInt
  private let capacity: Int
  private let bytes = Mutex(0)

  /// Reserves addresses for a maximum number of bytes without allocating memory.
  init(capacity: UInt64) {
    self.capacity = Int(capacity)
    let base = mmap(
      nil, max(self.capacity, 1), PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE), -1, 0)
    address = base == MAP_FAILED ? 0 : UInt(bitPattern: base)
  }

  deinit {
    if let base = UnsafeMutableRawPointer(bitPattern: address) { munmap(base, max(capacity, 1)) }
  }

  /// Changes the ballast towards a size, growing by at most `step` bytes, and returns its size.
  ///
  /// Each page gets a different word, so that the kernel can neither share nor merge pages.
  func resize(to wanted: UInt64, step: Int) -> UInt64 {
    guard let base = UnsafeMutableRawPointer(bitPattern: address) else { return 0 }
    let page = SystemCalls.pageBytes
    let target = min(Int(min(wanted, UInt64(Int.max))), capacity) / page * page
    return bytes.withLock { bytes in
      if target < bytes {
        madvise(base + target, bytes - target, MADV_DONTNEED)
        bytes = target
      }
      let end = min(target, bytes + step)
      while bytes < end {
        base.storeBytes(
          of: UInt64(bytes) &* 0x9E37_79B9_7F4A_7C15, toByteOffset: bytes, as: UInt64.self)
        bytes += page
      }
      return UInt64(bytes)
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
