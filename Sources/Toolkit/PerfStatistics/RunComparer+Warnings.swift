internal import PerfModel

extension RunComparer {
  /// The code of the warning that environments differ and were compared all the same.
  public static let environmentsAllowed = "comparison.environments_allowed"

  /// The code of the warning that makes runs of different scenarios void.
  public static let scenariosDiffer = "comparison.scenarios_differ"

  /// Returns what a reader of the comparison must know.
  func warnings(
    _ base: Run, _ candidate: Run, _ times: (FunctionTimes, FunctionTimes)?, absent: [String],
    level: Double
  ) -> [RunWarning] {
    var warnings = [unpaired(base, candidate)]
    warnings += Self.subjects(base, candidate)
    warnings += Self.environments(
      base.environment, candidate.environment, areAllowed: allowsDifferentEnvironments)
    if let unknown = Self.unknownFlags(base, candidate) { warnings.append(unknown) }
    warnings += [("base", base), ("candidate", candidate)].flatMap(Self.incomplete)
    if let missing = GatingMetrics.warning(missing: absent) { warnings.append(missing) }
    let needed = RankSum.sizeNeeded(forLevel: level)
    let fewest = min(base.measured.count, candidate.measured.count)
    if RankSum.smallestP(base.measured.count, candidate.measured.count) > level {
      warnings.append(
        RunWarning(
          code: "comparison.few_iterations",
          message: "\(base.measured.count) and \(candidate.measured.count) iterations cannot show "
            + "any change at the level \(NumberFormat.significant(level, digits: 2))",
          remedy: "Measure \(max(needed - fewest, 1)) more, \(needed) a side."))
    }
    let few = times.flatMap { old, new in
      FunctionComparer.sampleWarning(
        old, new, remedy: "Measure more iterations, or pass a higher --rate.")
    }
    if let few { warnings.append(few) }
    return warnings
  }

  private func unpaired(_ base: Run, _ candidate: Run) -> RunWarning {
    RunWarning(
      code: "comparison.unpaired",
      message: "the runs were not interleaved, so what the machine did in between counts as a "
        + "change; each interval is widened by "
        + "\(NumberFormat.significant(Self.drift * 100))% on both sides for it",
      remedy: "Smaller changes can only be told from launches of both that are interleaved.")
  }

  /// Says that the environments differ in what matters.
  static func environments(
    _ base: Environment, _ candidate: Environment, areAllowed: Bool
  ) -> [RunWarning] {
    let differences = base.differences(to: candidate).filter(\.voids)
    guard !differences.isEmpty else { return [] }
    let keys = differences.map(\.key).joined(separator: ", ")
    return [
      RunWarning(
        code: areAllowed ? environmentsAllowed : "comparison.environments_differ",
        message: "the environments differ in \(keys)",
        remedy: areAllowed
          ? "The verdict was asked for all the same; do not rely on it."
          : "Measure both in one place, or pass --allow-different-environments.")
    ]
  }

  /// Says that nobody knows whether both programs were built by the same flags.
  ///
  /// Only what PerfKit builds has them: neither Swift's compiler nor the debug information says them.
  private static func unknownFlags(_ base: Run, _ candidate: Run) -> RunWarning? {
    let (old, new) = (base.environment, candidate.environment)
    // One program is of one build.
    guard old[.buildIdentity] == nil || old[.buildIdentity] != new[.buildIdentity] else {
      return nil
    }
    let unknown = [("base", old), ("candidate", new)].filter { $1[.buildFlags] == nil }.map(\.0)
    guard !unknown.isEmpty else { return nil }
    return RunWarning(
      code: "comparison.flags_unknown",
      message: "by which flags the \(unknown.joined(separator: " and the ")) "
        + "\(unknown.count == 1 ? "was" : "were") built is not known, so a difference of flags would "
        + "be taken for the change",
      remedy: "`perfkit diff` builds two revisions by one recipe, and says which.")
  }

  /// Says that the runs are of different things.
  static func subjects(_ base: Run, _ candidate: Run) -> [RunWarning] {
    if base.scenario != candidate.scenario {
      return [
        RunWarning(
          code: scenariosDiffer,
          message: "the runs are of different scenarios, '\(base.scenario)' and "
            + "'\(candidate.scenario)'",
          remedy: "Compare runs of one scenario.")
      ]
    }
    guard base.variant == candidate.variant, base.parameters != candidate.parameters else {
      return []
    }
    let names = Set(base.parameters.keys).union(candidate.parameters.keys)
      .filter { base.parameters[$0] != candidate.parameters[$0] }.sorted()
    return [
      RunWarning(
        code: "comparison.parameters_differ",
        message: "the runs were given different \(names.joined(separator: ", "))",
        remedy: "Compare runs with the same parameters, unless that is the change.")
    ]
  }

  /// Says that launches of a side were lost, or cannot tell.
  static func incomplete(_ side: String, _ run: Run) -> [RunWarning] {
    var warnings: [RunWarning] = []
    let launched = run.launches.filter { !$0.isWarmup }.count
    let failed = launched - run.measured.count
    if failed > 0 {
      warnings.append(
        RunWarning(
          code: "comparison.launches_lost",
          message:
            "\(failed) of \(launched) launches of the \(side) did not complete, and the others "
            + "alone are compared",
          remedy: "See `perfkit show \(run.id)`."))
    }
    if run.environment[.configuration] == "debug" {
      warnings.append(
        RunWarning(
          code: "comparison.debug_build", message: "the \(side) is a debug build",
          remedy: "Build with -c release; debug builds say nothing about release builds."))
    }
    return warnings + (samplers(of: run) + Disturbance.warnings(of: run)).map { $0.about(side) }
  }

  /// What the sampler of a run has to say, each kind once: its functions are named as to blame.
  private static func samplers(of run: Run) -> [RunWarning] {
    var known: Set<String> = []
    return ((run.profile?.audit.warnings ?? []) + run.warnings).filter {
      $0.code.hasPrefix("sampler.") && known.insert($0.code).inserted
    }
  }
}
