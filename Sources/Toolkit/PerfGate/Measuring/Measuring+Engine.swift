internal import PerfModel
internal import PerfProfile
internal import PerfRunner

extension Measuring {
  /// Returns the engine that samples launches, and what their conditions say about it.
  ///
  /// - Throws: `Failure` if the kernel should and cannot.
  func engine(rate: Int) throws -> (engine: SamplingEngine, condition: String) {
    guard settings.engine == .perf, rate > 0 else { return (.signal, "") }
    guard let obstacle = EventSession.obstacle() else { return (.perf, " engine=perf") }
    guard obstacle.leavesUserCode else {
      throw Failure(
        "sampling by the kernel is not possible: \(obstacle) Or use --engine signal.")
    }
    return (.perf, " engine=perf (user code)")
  }

  /// Refuses a command that a needed library cannot be loaded into if a profile is wanted.
  ///
  /// Workers always load the agent, as they link the library that speaks to it.
  func checkProfile(
    of runnable: RunnableScenario, by engine: SamplingEngine, rate: Int
  ) throws {
    guard runnable.worker == nil, rate > 0 || settings.countsAllocations,
      let obstacle = PreloadCheck.obstacle(of: runnable.program[0]),
      engine == .signal || settings.recordsTasks || !obstacle.isOfAgent
    else { return }
    let remedy =
      settings.countsAllocations
      ? obstacle.remedy
      : obstacle.remedy(
        or: engine == .perf
          ? "Leave out --tasks, which preloads a library" : "Use --engine perf")
        + " Or measure without samples: --no-profile."
    throw RunnerError.cannotProfile(
      path: runnable.program[0], reason: "\(obstacle)", remedy: remedy)
  }
}
