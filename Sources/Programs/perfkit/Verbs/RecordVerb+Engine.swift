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
    if engine == .auto, pid != nil {
      return (.perf, "nothing is preloaded into a running process")
    }
    if let reason = engine.reason(countsAllocations: allocations, signal: sampling.signal) {
      return (engine == .perf ? .perf : .signal, reason)
    }
    if obstacle != nil { return (.signal, "the kernel refuses to sample") }
    return PreloadCheck.usesMarks(path)
      ? (.signal, "the program marks phases or signposts")
      : (.perf, "it changes nothing in the program")
  }

  /// Returns the remedy if a program must load a library and cannot.
  func remedy(
    for preload: PreloadCheck.Obstacle, _ sampler: SamplingEngine, _ obstacle: EventObstacle?
  ) -> String {
    if allocations { return preload.remedy }
    if let obstacle, !obstacle.leavesUserCode, preload.isOfAgent {
      return "\(preload.remedy) Or let the kernel sample it: \(obstacle)"
    }
    guard tasks else { return preload.remedy(or: "Use --engine perf") }
    return preload.remedy(
      or: sampler == .perf
        ? "Leave out --tasks, which preloads a library" : "Use --engine perf without --tasks")
  }
}
