public import PerfModel

/// The facts of a stored run that lists show.
public struct RunHeader: Hashable, Sendable, CustomStringConvertible {
  /// The state of a run.
  public enum State: String, Sendable {
    /// The run is being measured, or its process died.
    case running
    case finished
    /// The user stopped the run.
    case interrupted
  }

  /// The run's id.
  public let id: String
  /// The scenario's name.
  public let scenario: String
  /// The variant's name.
  public let variant: String
  /// The user's name for the run, or nil.
  public let label: String?
  /// The built commit, or nil if unknown.
  public let commit: String?
  /// Whether the work tree had changes; nil if unknown.
  public let isDirty: Bool?
  /// The start of the run.
  public let started: Timestamp
  /// The state.
  public let state: State
  /// The number of measured launches that completed.
  public let completed: Int
  /// The number of measured launches that did not complete.
  public let failed: Int
  /// The number of samples of the profile, or nil without a profile.
  public let samples: Int?

  /// `scenario:variant`.
  public var subject: String { "\(scenario):\(variant)" }

  /// One line that identifies the run.
  public var description: String {
    "run \(id) (\(subject), \(started.short)\(label.map { ", label \($0)" } ?? ""))"
  }
}

/// The criteria of a list of runs; nil matches everything.
public struct RunFilter: Hashable, Sendable {
  /// The scenario's name.
  public var scenario: String?
  /// The variant's name.
  public var variant: String?
  /// The label.
  public var label: String?
  /// A prefix of the commit.
  public var commitPrefix: String?
  /// The maximum number of runs, the latest ones.
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

  /// Creates a set of bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The time series.
  public static let series = RunContents(rawValue: 1)
  /// The frames of the launches.
  public static let frames = RunContents(rawValue: 2)
  /// The call tree with its counts, threads and audit, and the counted work.
  public static let profile = RunContents(rawValue: 4)
  /// The profile's samples by time; requires `profile`.
  public static let timeline = RunContents(rawValue: 8)
  /// The phases, signposts and events of the launches.
  public static let spans = RunContents(rawValue: 16)
  /// All parts.
  public static let all: RunContents = [.series, .frames, .profile, .timeline, .spans]
}
