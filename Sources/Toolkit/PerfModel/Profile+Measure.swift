extension Profile {
  /// The quantity that the weights of running threads measure.
  public struct Measure: Hashable, Sendable, Codable {
    /// The name that outputs show, such as `CPU time`, `samples` or `cycles`.
    public let name: String
    /// The dimension of the weights, which are in its base unit.
    public let dimension: Dimension
    /// Whether the numbers of samples are known; otherwise each count has a sample for each of its records.
    public let hasSamples: Bool

    /// CPU time, which each measured profile has.
    public static let cpuTime = Measure(name: "CPU time", dimension: .time)
    /// Samples of an unknown interval.
    public static let samples = Measure(name: "samples", dimension: .count)

    /// Creates a measure.
    public init(name: String, dimension: Dimension, hasSamples: Bool = true) {
      self.name = name
      self.dimension = dimension
      self.hasSamples = hasSamples
    }

    /// Returns whether weights of two profiles can be subtracted; two counts must count the same.
    public func isComparable(to other: Measure) -> Bool {
      dimension == other.dimension && (dimension != .count || name == other.name)
    }
  }

  /// The quantity that the weights of running threads measure.
  public var measure: Measure { audit.measure ?? .cpuTime }
}
