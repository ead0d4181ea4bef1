internal import PerfModel

extension RunComparer {
  /// The code of the warning that different environments were compared on request.
  public static let environmentsAllowed = "comparison.environments_allowed"

  /// The code of the warning that runs are not compared in pairs.
  public static let unpaired = "comparison.unpaired"

  /// The code of the warning that the runs are of different scenarios, so the comparison is void.
  public static let scenariosDiffer = "comparison.scenarios_differ"

  func warnings(
    _ base: Run, _ candidate: Run, _ times: (FunctionTimes, FunctionTimes)?, missing: [String],
    level: Double
  ) -> [RunWarning] {
    var warnings = [
      RunWarning(
        code: Self.unpaired,
        message: "the runs are not compared in pairs, so changes of the machine between them count "
          + "as changes of the program; each interval is widened by "
          + "\(NumberFormat.significant(Self.drift * 100))% on both sides to allow for them",
        remedy: "To find smaller changes, compare interleaved pairs, which `perfkit diff` makes.")
    ]
    warnings += Self.subjects(base, candidate)
    warnings += Self.environments(
      base.environment, candidate.environment, areAllowed: allowsDifferentEnvironments)
    warnings += Self.unknownFlags(base, candidate)
    warnings += [("base", base), ("candidate", candidate)].flatMap(Self.incomplete)
    warnings += GatingMetrics.warnings(missing: missing)
    if RankSum.smallestP(base.measured.count, candidate.measured.count) > level {
      warnings.append(
        RunWarning(
          code: "comparison.few_iterations",
          message: "\(base.measured.count) and \(candidate.measured.count) launches cannot show "
            + "any change at the level \(NumberFormat.significant(level, digits: 2))",
          remedy: "Measure at least \(RankSum.sizeNeeded(forLevel: level)) launches per side."))
    }
    return warnings
      + FunctionComparer.warnings(
        aboutSamplesOf: times, remedy: "Measure more launches, or pass a higher --rate.")
      + FunctionComparer.warnings(aboutAllocationsOf: base, candidate)
  }

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
          ? "They were compared on request; do not rely on the verdict."
          : "Measure both sides in one environment, or pass --allow-different-environments.")
    ]
  }

  /// Returns a warning if the build flags of a side are unknown.
  ///
  /// Only programs that PerfKit built have recorded flags: neither the compiler nor the debug
  /// information records them.
  private static func unknownFlags(_ base: Run, _ candidate: Run) -> [RunWarning] {
    let (old, new) = (base.environment, candidate.environment)
    // Equal build identities imply equal flags.
    guard old[.buildIdentity] == nil || old[.buildIdentity] != new[.buildIdentity] else {
      return []
    }
    let unknown = [("base", old), ("candidate", new)].filter { $1[.buildFlags] == nil }.map(\.0)
    guard !unknown.isEmpty else { return [] }
    return [
      RunWarning(
        code: "comparison.flags_unknown",
        message: "the build flags of the \(unknown.joined(separator: " and the ")) are unknown, so "
          + "different flags would look like a change of the program",
        remedy: "`perfkit diff` builds both revisions with the same flags and records them.")
    ]
  }

  /// Returns a warning if the runs are of different scenarios or parameters.
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
    if let arguments = base.arguments(otherThanOf: candidate) {
      return [
        RunWarning(
          code: "comparison.arguments_differ",
          message:
            "the commands have different arguments, '\(arguments.own)' and '\(arguments.other)'",
          remedy: "Compare runs with equal arguments, unless the arguments are the change.")
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
        message: "the runs have different parameters: \(names.joined(separator: ", "))",
        remedy: "Compare runs with equal parameters, unless the parameters are the change.")
    ]
  }

  /// Returns warnings about lost launches, debug builds, the profile and disturbances of one side.
  static func incomplete(_ side: String, _ run: Run) -> [RunWarning] {
    var warnings: [RunWarning] = []
    let launched = run.profiled.count
    let failed = launched - run.measured.count
    if failed > 0 {
      warnings.append(
        RunWarning(
          code: "comparison.launches_lost",
          message:
            "\(failed) of \(launched) launches of the \(side) did not complete; only the others "
            + "are compared",
          remedy: "See `perfkit show \(run.id)`."))
    }
    if run.environment[.configuration] == "debug" {
      warnings.append(
        RunWarning(
          code: "comparison.debug_build", message: "the \(side) is a debug build",
          remedy:
            "Build with -c release: timings of a debug build do not apply to the release build."))
    }
    return warnings + (samplers(of: run) + Disturbance.warnings(of: run)).map { $0.about(side) }
  }

  /// Returns the warnings of a run about its sampler, its symbols, its command and its program, each kind once:
  /// functions are compared by its profile.
  private static func samplers(of run: Run) -> [RunWarning] {
    var known: Set<String> = []
    return ((run.profile?.audit.warnings ?? []) + run.warnings).filter { warning in
      ["sampler.", "symbols.", "command.", "program."].contains(where: warning.code.hasPrefix)
        && known.insert(warning.code).inserted
    }
  }
}
