/// The rule by which the size of a scenario's work is fitted to the machine.
///
/// One variant is launched at several values of a parameter until its metric reaches the target; all
/// variants are then measured with that value.
public struct Calibration: Hashable, Sendable, CustomStringConvertible {
  /// The wanted value of the metric.
  public enum Target: Hashable, Sendable, CustomStringConvertible {
    /// A number of refresh periods, by the worker's parameter `refresh`.
    case frames(Double)
    /// A value with a unit.
    case quantity(Quantity)

    /// The notation of scenario files.
    public var description: String {
      switch self {
      case .frames(let count): NumberFormat.significant(count) + " frames"
      case .quantity(let quantity): quantity.description
      }
    }
  }

  /// The parameter of workers with frames that sets the refresh rate, in Hz.
  package static let refreshParameter = "refresh"

  /// The parameter that sets the size; larger values make the metric larger.
  public let parameter: String
  /// The variant that is launched.
  public let variant: String
  /// The metric's name.
  public let metric: String
  /// The wanted value of the metric.
  public let target: Target
  /// The smallest and the largest value of the parameter; both are positive.
  public let range: ClosedRange<Double>

  /// Creates a rule.
  public init(
    parameter: String, variant: String, metric: String, target: Target, range: ClosedRange<Double>
  ) {
    self.parameter = parameter
    self.variant = variant
    self.metric = metric
    self.target = target
    self.range = range
  }

  /// One line, such as `scale 1...4 for frame.cost.p50(baseline) = 0.85 frames`.
  public var description: String {
    let (low, high) = (range.lowerBound, range.upperBound)
    return "\(parameter) \(NumberFormat.significant(low))...\(NumberFormat.significant(high)) for "
      + "\(metric)(\(variant)) = \(target)"
  }
}
