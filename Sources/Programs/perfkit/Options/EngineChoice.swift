internal import ArgumentParser

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
}
