internal import PerfModel

extension Profile {
  /// The profile without samples of memory, because exports contain only time.
  var ofTime: Profile {
    guard counts.contains(where: { $0.state.dimension != .time }) else { return self }
    return Profile(
      functions: functions, nodes: nodes, threads: threads, phases: phases,
      signposts: signposts, counts: counts.filter { $0.state.dimension == .time },
      timeline: timeline, audit: audit, modules: modules)
  }
}
