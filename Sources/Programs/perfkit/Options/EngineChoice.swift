internal import ArgumentParser
internal import PerfProfile

/// What samples a program.
enum EngineChoice: String, CaseIterable {
  /// The kernel or a signal: each verb chooses what sees more.
  case auto
  case perf
  case signal

  /// Reads the value of an option.
  ///
  /// - Throws: `ValidationError` for an unknown name.
  init(option name: String) throws {
    self = try choice(name, of: "engine", among: Self.allCases) { $0.rawValue }
  }

  /// Refuses an engine that cannot count allocations.
  ///
  /// - Throws: `ValidationError`.
  func check(countsAllocations: Bool) throws {
    guard self == .perf, countsAllocations else { return }
    throw ValidationError("--allocations needs --engine signal: the kernel sees no allocations.")
  }

  /// Returns the reason for an engine that an option decides, as a clause; nil if no option decides.
  func reason(countsAllocations: Bool, signal: SamplingSignal) -> String? {
    if self != .auto { return "chosen by --engine" }
    if countsAllocations { return "the kernel sees no allocations" }
    return signal != .standard ? "chosen by --signal" : nil
  }
}
