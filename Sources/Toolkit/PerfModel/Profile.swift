/// A call tree with sample counts over the measured launches of a run, and its audit.
public struct Profile: Sendable {
  /// A function that appears in stacks.
  public struct Function: Hashable, Sendable, Codable {
    /// The demangled, simplified name; module and offset where there is no symbol.
    public let name: String
    /// The full demangled name with modules and types; nil if it equals `name`.
    public let signature: String?
    /// A name that survives recompilation: it has no closure numbers and hashes.
    public let key: String
    /// The file name of the module, such as `BookWorkloads` or `libc.so.6`.
    public let module: String
    /// The source file, or nil.
    public let file: String?

    /// Creates a function.
    public init(
      name: String, key: String, signature: String? = nil, module: String, file: String?
    ) {
      self.name = name
      self.signature = signature
      self.key = key
      self.module = module
      self.file = file
    }

    /// Returns the simpler of two names with one key.
    ///
    /// It prefers a function's name to that of a compiler artefact, such as `partial apply for`.
    public static func plainer(_ first: String, _ second: String) -> String {
      (first.utf8.count, first) < (second.utf8.count, second) ? first : second
    }

    /// Returns whether the function's name is simpler than another one's.
    public func isPlainer(than other: Function) -> Bool {
      name != other.name && Self.plainer(name, other.name) == name
    }
  }

  /// A node of the call tree: a function under one chain of callers.
  public struct Node: Hashable, Sendable, Codable {
    /// Index of the caller's node, smaller than the node's index; -1 for outermost frames.
    public let parent: Int
    /// Index of the function.
    public let function: Int
    /// The line in the source file, or 0.
    public let line: Int
    /// Whether the compiler inlined the function into its parent.
    public let isInlined: Bool
    /// Whether the node is a logical caller after an await.
    public let isAsync: Bool

    /// Creates a node.
    public init(parent: Int, function: Int, line: Int, isInlined: Bool, isAsync: Bool = false) {
      self.parent = parent
      self.function = function
      self.line = line
      self.isInlined = isInlined
      self.isAsync = isAsync
    }
  }

  /// A sampled thread.
  public struct Thread: Hashable, Sendable, Codable {
    /// The thread's name.
    public let name: String
    /// CPU time while sampling over all launches, in nanoseconds.
    public let cpu: UInt64

    /// Creates a thread.
    public init(name: String, cpu: UInt64) {
      self.name = name
      self.cpu = cpu
    }
  }

  /// Whether the frame of a sample reached its refresh.
  public enum FrameClass: Int, Sendable, Codable, CaseIterable {
    /// The sample is in no frame.
    case none = 0
    case onTime = 1
    case missed = 2
  }

  /// The state of a sampled thread, the kind of memory of a sampled allocation, or the state of a task.
  public enum State: Int, Sendable, Codable, CaseIterable {
    case running = 0
    case runnable = 1
    case waiting = 2
    /// All allocated memory.
    case allocated = 3
    /// The memory that was live at the peak of live memory.
    case livePeak = 4
    /// The memory that was live at the end of the measured phase.
    case liveEnd = 5
    /// A Swift task that waits.
    case suspended = 6
    /// All allocations, weighed by their number.
    case allocations = 7

    /// What has a state.
    public enum Subject: Sendable {
      case thread, memory, task
    }

    /// What has this state.
    public var subject: Subject {
      switch self {
      case .running, .runnable, .waiting: .thread
      case .allocated, .livePeak, .liveEnd, .allocations: .memory
      case .suspended: .task
      }
    }

    /// The dimension of weights with this state.
    public var dimension: Dimension {
      switch self {
      case .running, .runnable, .waiting, .suspended: .time
      case .allocated, .livePeak, .liveEnd: .size
      case .allocations: .count
      }
    }
  }

  /// A group of samples that agree in everything except their time.
  public struct Count: Hashable, Sendable, Codable {
    /// Number of the launch in the run.
    public let launch: Int
    /// Index of the innermost node.
    public let node: Int
    /// Index of the thread.
    public let thread: Int
    /// Index of the phase's name; 0 for none.
    public let phase: Int
    /// Index of the innermost signpost's name; 0 for none.
    public let signpost: Int
    /// The class of the frame.
    public let frameClass: FrameClass
    /// The state of the thread.
    public let state: State
    /// The number of samples, where one that stands for several ticks counts as several, or of waits of
    /// tasks.
    public let samples: Int
    /// The weight of the samples: nanoseconds of CPU time (wall time for waiting), bytes, or the number
    /// of allocations that the samples represent.
    public let weight: Double

    /// Creates a count.
    public init(
      launch: Int, node: Int, thread: Int, phase: Int, signpost: Int = 0,
      frameClass: FrameClass, state: State, samples: Int, weight: Double
    ) {
      self.launch = launch
      self.node = node
      self.thread = thread
      self.phase = phase
      self.signpost = signpost
      self.frameClass = frameClass
      self.state = state
      self.samples = samples
      self.weight = weight
    }
  }

  /// One sample on the time line.
  public struct Moment: Hashable, Sendable {
    /// Nanoseconds from the start of the launch's measured phase.
    public let time: UInt64
    /// Index of the innermost node.
    public let node: Int
    /// Index of the thread, shared by threads of one name.
    public let thread: Int
    /// Number of the thread in its process, unique even among threads of one name.
    public let serial: Int
    /// Index of the phase's name; 0 for none.
    public let phase: Int
    /// Index of the innermost signpost's name; 0 for none.
    public let signpost: Int
    /// The class of the frame.
    public let frameClass: FrameClass
    /// The state of the thread.
    public let state: State
    /// CPU time since the thread's previous sample, in nanoseconds; nil for the first sample.
    public let cpu: UInt64?

    /// Creates a moment.
    public init(
      time: UInt64, node: Int, thread: Int, serial: Int, phase: Int, signpost: Int = 0,
      frameClass: FrameClass, state: State, cpu: UInt64?
    ) {
      self.time = time
      self.node = node
      self.thread = thread
      self.serial = serial
      self.phase = phase
      self.signpost = signpost
      self.frameClass = frameClass
      self.state = state
      self.cpu = cpu
    }
  }

  /// A program or library with functions in the profile.
  public struct Module: Hashable, Sendable {
    /// The file name, as in `Function.module`.
    public let name: String
    /// The path on the measured machine.
    public let path: String
    /// The build id in hexadecimal digits; empty if the file has none.
    public let buildID: String

    /// Creates a module.
    public init(name: String, path: String, buildID: String) {
      self.name = name
      self.path = path
      self.buildID = buildID
    }
  }

  /// All functions.
  public internal(set) var functions: [Function]
  /// The call tree, parents first.
  public let nodes: [Node]
  /// The programs and libraries that functions come from, in the order of loading.
  public let modules: [Module]
  /// The threads.
  public let threads: [Thread]
  /// Names of phases; the first is empty and means none.
  public let phases: [String]
  /// Names of the sampled signposts; the first is empty and means none.
  public let signposts: [String]
  /// The groups of samples over all measured launches.
  public let counts: [Count]
  /// The samples by time, by number of the launch.
  public let timeline: [Int: [Moment]]
  /// The quality of the sampling.
  public let audit: ProfileAudit

  /// Creates a profile.
  public init(
    functions: [Function], nodes: [Node], threads: [Thread], phases: [String],
    signposts: [String] = [""], counts: [Count], timeline: [Int: [Moment]], audit: ProfileAudit,
    modules: [Module] = []
  ) {
    self.functions = functions
    self.nodes = nodes
    self.threads = threads
    self.phases = phases
    self.signposts = signposts
    self.counts = counts
    self.timeline = timeline
    self.audit = audit
    self.modules = modules
  }

  /// Returns the profile with another audit.
  func with(_ audit: ProfileAudit) -> Profile {
    Profile(
      functions: functions, nodes: nodes, threads: threads, phases: phases, signposts: signposts,
      counts: counts, timeline: timeline, audit: audit, modules: modules)
  }
}
