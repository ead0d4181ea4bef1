/// A change of known size that a selftest injects into a program.
public struct InjectedChange: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The kind of change.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// No change: every reported change is a false alarm.
    case nothing = "none"
    /// More work of the same kind.
    case cpuTime = "cpu"
    /// More memory.
    case memory
    /// A delay of 3 % of the frames.
    case frames
  }

  /// The kind of change.
  public let kind: Kind
  /// The size: a fraction of CPU time or memory, or nanoseconds in each delayed frame.
  public let size: Double

  /// Creates a change.
  public init(_ kind: Kind, size: Double) {
    self.kind = kind
    self.size = size
  }

  /// No change.
  public static let nothing = InjectedChange(.nothing, size: 0)
  /// Increases of CPU time, the smallest first.
  public static let cpuTimes = [0.01, 0.02, 0.03, 0.05, 0.1].map {
    InjectedChange(.cpuTime, size: $0)
  }
  /// An increase of memory by 5 %.
  public static let memory = InjectedChange(.memory, size: 0.05)
  /// A delay of 2 ms in 3 % of the frames.
  public static let frames = InjectedChange(.frames, size: 2_000_000)

  /// All changes of a selftest: none, CPU time by size, memory, frames.
  public static let all = [nothing] + cpuTimes + [memory, frames]

  /// The metric that detects the change; nil without a change.
  public var metric: String? {
    switch kind {
    case .nothing: nil
    case .cpuTime: MetricName.cpuTotal
    case .memory: MetricName.rssPeak
    case .frames: MetricName.percentile(99, of: MetricName.frameCost)
    }
  }

  /// The margin at which the change must be detected.
  ///
  /// For CPU time and frames it is half of the change, since a change of exactly the margin is
  /// reported half of the time. For memory, which has little noise, it is the default margin of 2
  /// %.
  public var margin: Scenario.Margin {
    switch kind {
    case .nothing, .memory: Scenario.Margin(relative: 0.02)
    case .cpuTime: Scenario.Margin(relative: size / 2)
    case .frames: Scenario.Margin(absolute: size / 2)
    }
  }

  /// A short name without spaces, such as `cpu-3`.
  public var name: String {
    switch kind {
    case .nothing: "same"
    case .cpuTime, .memory: "\(kind.rawValue)-\(NumberFormat.significant(size * 100))"
    case .frames: kind.rawValue
    }
  }

  /// A description, such as `3% of CPU time`.
  public var description: String {
    switch kind {
    case .nothing: "no change"
    case .cpuTime: "\(NumberFormat.human(size, .ratio)) of CPU time"
    case .memory: "\(NumberFormat.human(size, .ratio)) of memory"
    case .frames: "\(NumberFormat.human(size, .time)) in 3% of the frames"
    }
  }
}
