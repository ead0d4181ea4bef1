extension Profile {
  /// One sample on the time line.
  public struct Moment: Hashable, Sendable {
    /// What runs of the first version do not know of a sample.
    public struct Detail: Hashable, Sendable {
      /// Number of the thread in its process: threads of one name have different ones.
      public let serial: Int
      /// Index of the phase's name; 0 is no phase.
      public let phase: Int
      /// Index of the innermost signpost's name; 0 is none.
      public let signpost: Int
      /// The class of the frame.
      public let frameClass: FrameClass
      /// The state of the thread.
      public let state: State
      /// CPU time of the thread since its sample before, in nanoseconds; nil for its first sample.
      public let cpu: UInt64?

      /// Creates the detail of a sample.
      public init(
        serial: Int, phase: Int, signpost: Int = 0, frameClass: FrameClass, state: State,
        cpu: UInt64?
      ) {
        self.serial = serial
        self.phase = phase
        self.signpost = signpost
        self.frameClass = frameClass
        self.state = state
        self.cpu = cpu
      }
    }

    /// Nanoseconds from the begin of its launch's measured phase.
    public let time: UInt64
    /// Index of the innermost node.
    public let node: Int
    /// Index of the thread.
    public let thread: Int
    /// What else is known of it; nil in runs of the first version.
    public let detail: Detail?

    /// Creates a moment.
    public init(time: UInt64, node: Int, thread: Int, detail: Detail? = nil) {
      self.time = time
      self.node = node
      self.thread = thread
      self.detail = detail
    }
  }
}
