public import PerfModel

extension SampleRuns {
  /// Returns a run with allocations.
  ///
  /// Each stack of a running thread allocated 1 MiB, of which half was live at the peak and a
  /// quarter at the end.
  public static func addingMemory(to run: Run) -> Run {
    guard let profile = run.profile else { return run }
    let shares: [(Profile.State, Double)] = [(.allocated, 1), (.livePeak, 0.5), (.liveEnd, 0.25)]
    let places = profile.counts.filter { $0.state == .running }
    let counts = places.flatMap { place in
      shares.map { state, share in
        Profile.Count(
          launch: place.launch, node: place.node, thread: place.thread, phase: place.phase,
          signpost: place.signpost, frameClass: place.frameClass, state: state, samples: 1,
          weight: share * 1_048_576)
      }
    }
    return replacingProfile(
      of: run,
      by: Profile(
        functions: profile.functions, nodes: profile.nodes, threads: profile.threads,
        phases: profile.phases, signposts: profile.signposts, counts: profile.counts + counts,
        timeline: profile.timeline, audit: profile.audit, modules: profile.modules))
  }

  /// Returns a run with another profile.
  public static func replacingProfile(of run: Run, by profile: Profile) -> Run {
    Run(
      id: run.id, scenario: run.scenario, variant: run.variant, label: run.label,
      started: run.started, seed: run.seed, parameters: run.parameters, command: run.command,
      environment: run.environment, definitions: run.definitions, launches: run.launches,
      budgets: run.budgets, profile: profile, warnings: run.warnings,
      wasInterrupted: run.wasInterrupted)
  }
}
