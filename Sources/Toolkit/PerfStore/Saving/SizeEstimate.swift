internal import PerfModel

/// About how many bytes a run takes in a store, for the message of a full disk.
enum SizeEstimate {
  static func bytes(of run: Run) -> Int {
    let iterations = run.launches.reduce(4096) { $0 + bytes(of: $1) }
    guard let profile = run.profile else { return iterations }
    let samples = profile.timeline.values.reduce(0) { $0 + $1.count }
    return iterations + samples * 13 + profile.counts.count * 32 + profile.nodes.count * 60
      + profile.functions.count * 200
  }

  static func bytes(of launch: Launch) -> Int {
    let points = launch.series.reduce(0) { $0 + $1.times.count }
    return 256 + launch.metrics.count * 20 + points * 8 + launch.frames.count * 18
      + launch.spans.count * 9
  }
}
