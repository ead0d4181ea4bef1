public import PerfModel

/// The samples that a flame graph shows, and its direction.
public struct FlameOptions: Hashable, Sendable {
  /// The selected samples.
  public var filter: SampleFilter
  /// The state of the selected samples.
  ///
  /// `running` shows CPU time, `waiting`, `runnable` and `suspended` show wall time, the others show memory.
  public var state: Profile.State
  /// Whether the innermost functions are drawn at the top, with their callers below.
  public var isReversed: Bool

  /// Creates options; the defaults show all CPU time.
  public init(
    _ filter: SampleFilter = SampleFilter(), state: Profile.State = .running,
    isReversed: Bool = false
  ) {
    self.filter = filter
    self.state = state
    self.isReversed = isReversed
  }

  /// Returns a short description of the selection, such as `CPU time, thread main`.
  ///
  /// - Parameter measure: What the weights of running threads measure.
  /// - Returns: The description.
  func words(_ measure: Profile.Measure) -> String {
    let shown =
      switch state {
      case .running: measure.name
      case .runnable: "time runnable without a CPU"
      case .waiting: "waiting time"
      case .allocated: "allocated memory"
      case .allocations: "number of allocations"
      case .livePeak: "live memory at the peak"
      case .liveEnd: "live memory at the end"
      case .suspended: "time that tasks waited"
      }
    var words = [shown]
    if let launch = filter.launch { words.append("launch \(launch)") }
    if filter.onlyMissedFrames { words.append("only frames that missed their refresh") }
    if let thread = filter.thread { words.append("thread \(thread)") }
    if let phase = filter.phase { words.append("phase \(phase)") }
    if let signpost = filter.signpost { words.append("signpost \(signpost)") }
    if isReversed { words.append("callers below callees") }
    return words.joined(separator: ", ")
  }
}
