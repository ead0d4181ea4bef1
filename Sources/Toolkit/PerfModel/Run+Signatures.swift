extension Run {
  /// The run with the whole names of functions, modules and types included, where there are any.
  public var withSignatures: Run {
    var run = self
    run.profile = profile.map { profile in
      Profile(
        functions: profile.functions.map { function in
          Profile.Function(
            name: function.signature ?? function.name, key: function.key,
            module: function.module, file: function.file)
        }, nodes: profile.nodes, threads: profile.threads, phases: profile.phases,
        signposts: profile.signposts, counts: profile.counts, timeline: profile.timeline,
        audit: profile.audit, modules: profile.modules)
    }
    return run
  }
}
