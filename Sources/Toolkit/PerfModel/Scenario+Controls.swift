extension Scenario {
  /// What no change that is measured can reach: when it moves, something else changed between the
  /// two sides, and the comparison says nothing.
  public struct Controls: Hashable, Sendable, Codable {
    /// Names of metrics of the scenario.
    public var metrics: [String]
    /// Names of functions, as comparisons show them.
    public var functions: [String]
    /// Names of other scenarios, which are measured as well.
    public var scenarios: [String]

    /// Creates controls; none unless said otherwise.
    public init(metrics: [String] = [], functions: [String] = [], scenarios: [String] = []) {
      self.metrics = metrics
      self.functions = functions
      self.scenarios = scenarios
    }

    /// Whether there are none.
    public var isEmpty: Bool { metrics.isEmpty && functions.isEmpty && scenarios.isEmpty }
  }
}
