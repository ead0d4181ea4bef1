public import PerfModel

extension SampleRuns {
  /// Returns a run with allocations.
  ///
  /// Each stack of a running thread made 16 allocations of 1 MiB together, of which half was live at the
  /// peak and a quarter at the end.
  public static func addingMemory(to run: Run) -> Run {
    guard let profile = run.profile else { return run }
    let weights: [(Profile.State, Double)] = [
      (.allocated, 1_048_576), (.livePeak, 524_288), (.liveEnd, 262_144), (.allocations, 16),
    ]
    let places = profile.counts.filter { $0.state == .running }
    let counts = places.flatMap { place in
      weights.map { state, weight in
        Profile.Count(
          launch: place.launch, node: place.node, thread: place.thread, phase: place.phase,
          signpost: place.signpost, frameClass: place.frameClass, state: state, samples: 1,
          weight: weight)
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
