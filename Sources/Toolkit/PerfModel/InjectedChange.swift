/// A change of known size that a selftest makes in a program, to see whether it is found.
public struct InjectedChange: Hashable, Sendable, Codable {
  /// What is changed.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Nothing: whatever is told of it is a false alarm.
    case nothing = "none"
    /// More work of the same kind.
    case cpuTime = "cpu"
    /// More memory in use.
    case memory
    /// A delay of 3 % of the frames.
    case frames
  }

  /// What is changed.
  public let kind: Kind
  /// How big it is: of CPU time and memory a fraction, of frames nanoseconds in each that is
  /// delayed.
  public let size: Double

  /// Creates a change.
  public init(_ kind: Kind, size: Double) {
    self.kind = kind
    self.size = size
  }

  /// No change.
  public static let nothing = InjectedChange(.nothing, size: 0)
  /// More CPU time, the smallest change first.
  public static let cpuTimes = [0.01, 0.02, 0.03, 0.05, 0.1].map {
    InjectedChange(.cpuTime, size: $0)
  }
  /// 5 % more memory.
  public static let memory = InjectedChange(.memory, size: 0.05)
  /// 2 ms in 3 % of the frames.
  public static let frames = InjectedChange(.frames, size: 2_000_000)

  /// All that a selftest knows: none, CPU time by size, memory, frames.
  public static let all = [nothing] + cpuTimes + [memory, frames]

  /// The metric by which it is found; nil of no change, of which any metric may say something
  /// wrong.
  public var metric: String? {
    switch kind {
    case .nothing: nil
    case .cpuTime: MetricName.cpuTotal
    case .memory: MetricName.rssPeak
    case .frames: MetricName.percentile(99, of: MetricName.frameCost)
    }
  }

  /// The margin at which it is to be found.
  ///
  /// Of CPU time and frames half of the change: one of just the margin is told every other time, by
  /// what a margin means. Of memory, which hardly has noise, the 2 % of a gate that names none.
  public var margin: Scenario.Margin {
    switch kind {
    case .nothing, .memory: Scenario.Margin(relative: 0.02)
    case .cpuTime: Scenario.Margin(relative: size / 2)
    case .frames: Scenario.Margin(absolute: size / 2)
    }
  }

  /// A short name without spaces, as `cpu-3`.
  public var name: String {
    switch kind {
    case .nothing: "same"
    case .cpuTime, .memory: "\(kind.rawValue)-\(NumberFormat.significant(size * 100))"
    case .frames: kind.rawValue
    }
  }
}

extension InjectedChange: CustomStringConvertible {
  /// It in words, as `3% of CPU time`.
  public var description: String {
    switch kind {
    case .nothing: "no change"
    case .cpuTime: "\(NumberFormat.human(size, .ratio)) of CPU time"
    case .memory: "\(NumberFormat.human(size, .ratio)) of memory"
    case .frames: "\(NumberFormat.human(size, .time)) in 3% of the frames"
    }
  }
}
