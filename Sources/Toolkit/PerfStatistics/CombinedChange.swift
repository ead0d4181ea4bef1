internal import Glibc
public import PerfModel

/// The change of one metric that several machines measured, each in pairs of its own.
///
/// The machines are combined by their changes and standard errors. Their launches are never pooled, because machines
/// differ more than launches of one machine.
public struct CombinedChange: Hashable, Sendable {
  /// The metric, in the scale of its change.
  public let definition: MetricDefinition
  /// The change on each machine; nil without enough pairs.
  public let gains: [PairedGain?]
  /// The weight of each machine, 0...1.
  public let weights: [Double]
  /// The common change in the metric's scale; nil with fewer than two machines.
  public let change: Double?
  /// The 95 % interval of the common change.
  public let interval: ClosedRange<Double>?
  /// The 95 % interval of the change on a further machine; nil with fewer than three machines.
  public let prediction: ClosedRange<Double>?
  /// The share of the machines' variance that their errors do not explain (I^2), 0...1.
  public let heterogeneity: Double
  /// The smallest change worth acting on: the largest margin of the machines.
  public let margin: Double
  /// The verdict.
  public let verdict: ComparisonVerdict
  /// The reason of an inconclusive verdict without an interval; may be empty.
  public let note: String

  /// Combines the changes of machines.
  ///
  /// - Parameters:
  ///   - metric: The metric.
  ///   - gains: The change on each machine.
  ///   - gatingCount: The number of gating metrics, which share the error of 5 %.
  public init(_ metric: MetricDefinition, gains: [PairedGain?], gatingCount: Int) {
    self.gains = gains
    let known = gains.compactMap(\.self)
    let scales = Set(known.map(\.scale))
    let scale = scales.first ?? metric.scale
    definition = metric.compared(by: scale)
    margin = known.map(\.margin).max() ?? 0
    let measurements = known.map { gain in
      RandomEffects.Measurement(
        effect: scale == .ratio ? log1p(gain.change) : gain.change,
        // The derivative of the logarithm.
        standardError: gain.standardError / (scale == .ratio ? 1 + gain.change : 1))
    }
    guard scales.count == 1, let effects = try? RandomEffects(measurements) else {
      (weights, change, interval, prediction) = (gains.map { _ in 0 }, nil, nil, nil)
      heterogeneity = 0
      verdict = .inconclusive
      note =
        scales.count > 1
        ? "some machines have values that are not positive"
        : "fewer than two machines have enough pairs"
      return
    }
    func range(_ range: ClosedRange<Double>) -> ClosedRange<Double> {
      scale.change(range.lowerBound)...scale.change(range.upperBound)
    }
    var rest = effects.weights[...]
    weights = gains.map { $0 == nil ? 0 : rest.removeFirst() }
    let estimate = scale.change(effects.effect)
    change = estimate
    let plain = range(effects.interval())
    interval = plain
    prediction = effects.prediction.map(range)
    heterogeneity = effects.heterogeneity
    verdict = ChangeRule.verdict(
      .init(
        estimate: estimate,
        decisive: range(effects.interval(confidence: 1 - 0.05 / Double(max(gatingCount, 1)))),
        plain: plain),
      margin: margin, direction: metric.direction)
    note = ""
  }
}
