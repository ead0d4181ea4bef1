internal import PerfModel
internal import PerfProfile

extension RecordVerb {
  /// Returns the engine that samples a program, with the reason.
  ///
  /// The kernel changes nothing in the program, so it is preferred. Only the agent sees allocations, and
  /// the phases and signposts of programs that are built with PerfKit's library.
  func sampler(
    of path: String, _ obstacle: EventObstacle?
  ) -> (engine: SamplingEngine, reason: String) {
    switch engine {
    case .signal: (.signal, "chosen by --engine")
    case .perf: (.perf, "chosen by --engine")
    case .auto where pid != nil: (.perf, "nothing is preloaded into a running process")
    case .auto where allocations: (.signal, "the kernel sees no allocations")
    case .auto where sampling.signal != .standard: (.signal, "chosen by --signal")
    case .auto where obstacle != nil: (.signal, "the kernel refuses to sample")
    case .auto where PreloadCheck.usesMarks(path):
      (.signal, "the program marks phases or signposts")
    case .auto: (.perf, "it changes nothing in the program")
    }
  }

  /// Returns the remedy if a program must load a library and cannot.
  func remedy(
    for preload: PreloadCheck.Obstacle, _ sampler: SamplingEngine, _ obstacle: EventObstacle?
  ) -> String {
    if allocations { return preload.remedy }
    if let obstacle, preload.isOfAgent {
      return "\(preload.remedy) Or let the kernel sample it: \(obstacle)"
    }
    guard tasks else { return preload.remedy(or: "Use --engine perf") }
    return preload.remedy(
      or: sampler == .perf
        ? "Leave out --tasks, which preloads a library" : "Use --engine perf without --tasks")
  }
}
