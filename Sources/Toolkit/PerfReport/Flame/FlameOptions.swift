public import PerfModel

/// Which samples a flame graph shows, and how.
public struct FlameOptions: Hashable, Sendable {
  /// Only samples of frames that missed their refresh.
  public var onlyMissedFrames: Bool
  /// Only this thread; nil for all.
  public var thread: String?
  /// Only this phase; nil for all.
  public var phase: String?
  /// Only samples whose innermost signpost is this one; nil for all.
  public var signpost: String?
  /// What the threads did: `running` gives CPU time, `waiting` and `runnable` wall time; or which
  /// memory is shown.
  public var state: Profile.State
  /// Whether the innermost functions stand at the top, with their callers below.
  public var isReversed: Bool

  /// Creates options; the defaults show all CPU time.
  public init(
    onlyMissedFrames: Bool = false, thread: String? = nil, phase: String? = nil,
    signpost: String? = nil, state: Profile.State = .running, isReversed: Bool = false
  ) {
    self.onlyMissedFrames = onlyMissedFrames
    self.thread = thread
    self.phase = phase
    self.signpost = signpost
    self.state = state
    self.isReversed = isReversed
  }

  private static func words(for state: Profile.State) -> String {
    switch state {
    case .running: "CPU time"
    case .runnable: "time without a CPU"
    case .waiting: "waiting time"
    case .allocated: "allocated memory"
    case .livePeak: "memory at its peak"
    case .liveEnd: "memory left at the end"
    }
  }

  /// What is shown, in a few words, as `missed frames, thread main`.
  var words: String {
    var words = [Self.words(for: state)]
    if onlyMissedFrames { words.append("only frames that missed their refresh") }
    if let thread { words.append("thread \(thread)") }
    if let phase { words.append("phase \(phase)") }
    if let signpost { words.append("signpost \(signpost)") }
    if isReversed { words.append("callers below callees") }
    return words.joined(separator: ", ")
  }
}
