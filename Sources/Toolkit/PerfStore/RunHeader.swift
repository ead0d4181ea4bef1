public import PerfModel

/// What a list shows of a stored run.
public struct RunHeader: Hashable, Sendable, CustomStringConvertible {
  /// How far a run has come.
  public enum State: String, Sendable {
    /// It is being measured, or its process died.
    case running
    case finished
    /// The user stopped it.
    case interrupted
  }

  /// Its id.
  public let id: String
  /// The scenario's name.
  public let scenario: String
  /// The variant's name.
  public let variant: String
  /// The name that the user gave it, or nil.
  public let label: String?
  /// The commit that was built, or nil when unknown.
  public let commit: String?
  /// Whether the work tree had changes; nil when unknown.
  public let isDirty: Bool?
  /// When it began.
  public let started: Timestamp
  /// How far it has come.
  public let state: State
  /// Its launches that were measured and completed.
  public let completed: Int
  /// Its launches that were to be measured and ended otherwise.
  public let failed: Int
  /// Samples of its profile, or nil when it has none.
  public let samples: Int?

  /// `scenario:variant`.
  public var subject: String { "\(scenario):\(variant)" }

  /// One line that tells it from other runs.
  public var description: String {
    "run \(id) (\(subject), \(started.short)\(label.map { ", label \($0)" } ?? ""))"
  }
}

/// Which runs are wanted; what is nil does not matter.
public struct RunFilter: Hashable, Sendable {
  /// The scenario's name.
  public var scenario: String?
  /// The variant's name.
  public var variant: String?
  /// The label.
  public var label: String?
  /// How the commit begins.
  public var commitPrefix: String?
  /// How many at most, the latest ones.
  public var limit: Int?

  /// Creates a filter.
  public init(
    scenario: String? = nil, variant: String? = nil, label: String? = nil,
    commitPrefix: String? = nil, limit: Int? = nil
  ) {
    self.scenario = scenario
    self.variant = variant
    self.label = label
    self.commitPrefix = commitPrefix
    self.limit = limit
  }
}

/// The bulky parts of a run; parameters, environment and metrics are always loaded.
public struct RunContents: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set of its bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// What was sampled over time.
  public static let series = RunContents(rawValue: 1)
  /// The frames.
  public static let frames = RunContents(rawValue: 2)
  /// The call tree with its counts, threads and audit.
  public static let profile = RunContents(rawValue: 4)
  /// The profile's samples by time; nothing without `profile`.
  public static let timeline = RunContents(rawValue: 8)
  /// The phases, signposts and events of the launches.
  public static let spans = RunContents(rawValue: 16)
  /// Everything.
  public static let all: RunContents = [.series, .frames, .profile, .timeline, .spans]
}
