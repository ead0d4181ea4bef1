internal import PerfModel

/// Which samples are exported.
public struct ExportSelection: Hashable, Sendable {
  /// Only this launch, by its number in the run; nil for all that count.
  public var launch: Int?
  /// Only this thread; nil for all.
  public var thread: String?
  /// Only this phase; nil for all.
  public var phase: String?
  /// Only samples whose innermost signpost is this one; nil for all.
  public var signpost: String?
  /// Only samples of frames that missed their refresh.
  public var onlyMissedFrames: Bool

  /// Creates a selection; the defaults take everything.
  public init(
    launch: Int? = nil, thread: String? = nil, phase: String? = nil, signpost: String? = nil,
    onlyMissedFrames: Bool = false
  ) {
    self.launch = launch
    self.thread = thread
    self.phase = phase
    self.signpost = signpost
    self.onlyMissedFrames = onlyMissedFrames
  }

  func selects(_ count: Profile.Count, of profile: Profile) -> Bool {
    (launch ?? count.launch) == count.launch
      && (!onlyMissedFrames || count.frameClass == .missed)
      && thread.map { profile.threads[count.thread].name == $0 } ?? true
      && phase.map { profile.phases[count.phase] == $0 } ?? true
      && signpost.map { profile.signposts[count.signpost] == $0 } ?? true
  }
}
