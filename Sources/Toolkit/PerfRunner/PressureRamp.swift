internal import PerfModel
internal import PerfProtocol

extension PressureLevel {
  /// The level of a fraction of the budget: warning from 50 %, urgent from 70 %, critical from 85 %
  /// (the Epilogue case study's four levels).
  init(fraction: Double) {
    switch fraction {
    case ..<0.50: self = .normal
    case ..<0.70: self = .warning
    case ..<0.85: self = .urgent
    default: self = .critical
    }
  }
}

extension HarnessMessage.MemoryPressure {
  /// Creates the reading of a simulated device from the memory of the worker and of other programs.
  init(budget: UInt64, footprint: UInt64, ballast: UInt64) {
    let fraction = budget == 0 ? 0 : Double(footprint + ballast) / Double(budget)
    self.init(
      level: PressureLevel(fraction: fraction), fraction: fraction, budget: budget,
      footprint: footprint, ballast: ballast)
  }
}

/// The schedule of simulated memory use.
struct PressureRamp: Sendable {
  private let steps: [Scenario.PressureStep]
  private let budget: UInt64
  /// The ballast of each step, fixed at the start of the step.
  ///
  /// Memory that the worker then frees relieves the pressure, as on a device.
  private var ballasts: [UInt64] = []

  /// Creates a ramp; the steps are sorted by time.
  init(steps: [Scenario.PressureStep], budget: UInt64) {
    self.steps = steps.sorted { $0.at < $1.at }
    self.budget = budget
  }

  /// Returns the bytes of ballast at a moment.
  ///
  /// Between two steps the ballast moves linearly towards the level of the next step, relative to
  /// the current footprint.
  ///
  /// - Parameters:
  ///   - time: Nanoseconds since the start of the measured phase.
  ///   - footprint: The current footprint of the worker in bytes.
  /// - Returns: The ballast in bytes.
  mutating func ballast(at time: UInt64, footprint: UInt64) -> UInt64 {
    var held: UInt64 = 0
    for (index, step) in steps.enumerated() {
      if time < step.at {
        let from = index == 0 ? 0 : steps[index - 1].at + steps[index - 1].hold
        guard time > from, step.at > from else { return held }
        let share = Double(time - from) / Double(step.at - from)
        let target = needed(for: step.level, footprint: footprint)
        return UInt64(Double(held) + (Double(target) - Double(held)) * share)
      }
      if ballasts.count == index { ballasts.append(needed(for: step.level, footprint: footprint)) }
      held = ballasts[index]
      if time < step.at + step.hold { return held }
    }
    return held
  }

  private func needed(for level: Double, footprint: UInt64) -> UInt64 {
    let wanted = UInt64(max(0, level) * Double(budget))
    return wanted > footprint ? wanted - footprint : 0
  }
}
