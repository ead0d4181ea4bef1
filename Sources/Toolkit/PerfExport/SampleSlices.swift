internal import PerfModel

/// The functions of a thread over time, derived from its samples.
struct SampleSlices {
  /// A function that consecutive samples share.
  struct Slice: Hashable {
    /// The index of the function; negative for waiting.
    let function: Int
    /// The start in nanoseconds since the start of the measured phase.
    let began: UInt64
    var ended: UInt64
  }

  /// The name of a slice of waiting.
  static let waiting = "[waiting]"

  /// The slices by start; callers come before their callees.
  private(set) var slices: [Slice] = []

  /// Joins the samples of a thread, which are ordered by time.
  ///
  /// More than two missed samples separate two slices, because the thread did not run in between.
  /// The last sample before the gap lasts one interval.
  init(_ samples: [TimedSamples.Sample], of profile: Profile, interval: UInt64) {
    var open: [Int] = []
    var last: TimedSamples.Sample?
    var paths: [Int: [Int]] = [:]
    for sample in samples {
      if let last, let end = Self.end(of: last, before: sample.time, interval) {
        close(&open, to: 0, at: end)
      }
      var path =
        paths[sample.node] ?? profile.path(to: sample.node).map { profile.nodes[$0].function }
      paths[sample.node] = path
      if sample.state == .waiting { path.append(-1) }
      let shared = zip(open, path).prefix { slices[$0].function == $1 }.count
      close(&open, to: shared, at: sample.time)
      for function in path[shared...] {
        open.append(slices.count)
        slices.append(Slice(function: function, began: sample.time, ended: sample.time))
      }
      last = sample
    }
    if let last {
      close(&open, to: 0, at: Self.end(of: last, before: .max, interval) ?? last.time)
    }
  }

  /// Returns the end of a sample's functions before the next sample; nil when they last until it.
  private static func end(
    of sample: TimedSamples.Sample, before next: UInt64, _ interval: UInt64
  ) -> UInt64? {
    let most = sample.state == .waiting ? UInt64(nearest: sample.weight) : interval
    let isContinued = next - sample.time <= (sample.state == .waiting ? most : 3 * interval)
    return isContinued ? nil : sample.time + most
  }

  private mutating func close(_ open: inout [Int], to depth: Int, at time: UInt64) {
    for slice in open[depth...] { slices[slice].ended = time }
    open.removeSubrange(depth...)
  }
}
