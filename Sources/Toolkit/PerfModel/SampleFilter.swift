/// A selection of a profile's samples by launch, thread, phase, signpost and frame.
public struct SampleFilter: Hashable, Sendable {
  /// The only launch to select, by its index in the run; nil for all.
  public var launch: Int?
  /// The name of the only thread to select; nil for all.
  public var thread: String?
  /// The name of the only phase to select; nil for all.
  public var phase: String?
  /// The innermost signpost of the samples to select; nil for all.
  public var signpost: String?
  /// Whether to select only samples of frames that missed their refresh.
  public var onlyMissedFrames: Bool

  /// Creates a filter; the defaults select every sample.
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

  /// Returns whether the filter selects the samples of a count of a profile.
  public func selects(_ count: Profile.Count, of profile: Profile) -> Bool {
    (launch ?? count.launch) == count.launch
      && (!onlyMissedFrames || count.frameClass == .missed)
      && thread.map { profile.threads[count.thread].name == $0 } ?? true
      && phase.map { profile.phases[count.phase] == $0 } ?? true
      && signpost.map { profile.signposts[count.signpost] == $0 } ?? true
  }
}
