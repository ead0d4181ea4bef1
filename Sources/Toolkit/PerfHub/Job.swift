public import PerfModel

/// A comparison of two revisions that a runner makes.
public struct JobRequest: Hashable, Sendable, Codable {
  /// The URL from which git fetches the repository.
  public var repository: String
  /// The revision before the change: a commit, tag or branch of the repository.
  public var base: String
  /// The revision after the change.
  public var candidate: String
  /// The scenario's name.
  public var scenario: String
  /// The variant's name; nil for the scenario's default.
  public var variant: String?
  /// The maximum number of pairs; nil for the default.
  public var maxPairs: Int?
  /// The time limit in nanoseconds; nil for the default.
  public var maxTime: UInt64?
  /// Whether the scenario runs with its small parameters (`--quick`), which take less time.
  public var isQuick = false
  /// Whether samples are taken.
  public var isProfiled = true

  /// Creates a request with the default options.
  public init(repository: String, base: String, candidate: String, scenario: String) {
    self.repository = repository
    self.base = base
    self.candidate = candidate
    self.scenario = scenario
  }
}

/// A request on the queue of a hub, with its fate.
public struct Job: Hashable, Sendable {
  /// The states of a job; the last three are final.
  public enum State: String, Sendable, CaseIterable {
    case waiting
    case running
    /// The comparison was made and pushed.
    case done
    /// The comparison could not be made.
    case failed
    case cancelled

    /// Whether the state does not change any more.
    public var isFinal: Bool { self != .waiting && self != .running }
  }

  /// A change of a job.
  public struct Event: Hashable, Sendable {
    /// The time on the server's clock.
    public let time: Timestamp
    /// `submitted`, `taken`, `lease lost`, `released`, `cancelled` or a final state.
    public let name: String
    /// The runner, or nil.
    public let runner: String?
    /// The reason, or nil.
    public let detail: String?
  }

  /// The number on the hub.
  public let number: Int
  /// The state.
  public let state: State
  /// The requested comparison.
  public let request: JobRequest
  /// The class of machines that may take the job; nil for all.
  public let machine: String?
  /// The priority; jobs with a higher one are taken first.
  public let priority: Int
  /// The time of the request on the server's clock.
  public let submitted: Timestamp
  /// The role that submitted the job.
  public let submittedBy: String
  /// The number of runners that took the job.
  public let attempts: Int
  /// The latest runner, or nil.
  public let runner: String?
  /// The id of the comparison on the hub, or nil.
  public let comparison: String?
  /// The exit status of the comparison as of a gate; nil until it is made.
  public let status: Int?
  /// The verdict or the reason of a failure, or nil.
  public let message: String?
}
