internal import PerfModel
internal import PerfProfile
internal import PerfRunner

extension Measuring {
  /// Returns the engine that samples the launches of a scenario.
  ///
  /// - Throws: `Failure` if the kernel should and cannot.
  func engine(of runnable: RunnableScenario, rate: Int) throws -> SamplingEngine {
    guard settings.engine == .perf, rate > 0 else { return .signal }
    guard runnable.worker == nil else {
      throw Failure(
        "--engine perf samples commands, and '\(runnable.scenario.name)' has a worker, whose frames and "
          + "phases the kernel does not see. Leave out --engine.", status: .usage)
    }
    if let obstacle = EventSession.obstacle() {
      throw Failure(
        "sampling by the kernel is not possible: \(obstacle) Or use --engine signal.")
    }
    return .perf
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
