internal import PerfModel
internal import PerfScenario

/// A margin of a metric as text, such as `2%` or `1 ms`.
public struct MarginOverride: Sendable {
  private let quantity: Quantity

  /// Parses a margin; nil unless the text is a positive quantity.
  public init?(argument: String) {
    guard let quantity = Quantity.parse(argument), quantity.baseValue > 0 else { return nil }
    self.quantity = quantity
  }

  private var isRelative: Bool { quantity.unit == .percent }

  var margin: Scenario.Margin {
    isRelative
      ? Scenario.Margin(relative: quantity.baseValue)
      : Scenario.Margin(absolute: quantity.baseValue)
  }

  /// Refuses a margin whose unit does not fit the metric.
  ///
  /// - Throws: `Failure` for wrong usage, with the valid units.
  func check(for definition: MetricDefinition) throws {
    guard !isRelative, let problem = definition.problem(with: quantity.unit) else { return }
    throw Failure(
      "--margin '\(quantity)' cannot be used: \(problem) A percentage is valid too.",
      status: .usage)
  }
}
