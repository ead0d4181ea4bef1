internal import PerfModel

/// About how many bytes a run takes in a store, for the message of a full disk.
enum SizeEstimate {
  static func bytes(of run: Run) -> Int {
    let iterations = run.iterations.reduce(4096) { $0 + bytes(of: $1) }
    guard let profile = run.profile else { return iterations }
    let samples = profile.timeline.values.reduce(0) { $0 + $1.count }
    return iterations + samples * 13 + profile.counts.count * 32 + profile.nodes.count * 60
      + profile.functions.count * 200
  }

  static func bytes(of iteration: Iteration) -> Int {
    let points = iteration.series.reduce(0) { $0 + $1.times.count }
    return 256 + iteration.metrics.count * 20 + points * 8 + iteration.frames.count * 18
      + iteration.spans.count * 9
  }
}
