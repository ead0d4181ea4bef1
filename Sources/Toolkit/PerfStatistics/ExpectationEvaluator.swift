public import PerfModel

/// The evaluation of the expectations of a scenario by runs of its variants.
public enum ExpectationEvaluator {
  /// The relative distance from a cap within which a value counts as capped.
  ///
  /// The frame rate of a launch is a little below the refresh rate if its last frame is short.
  fileprivate static let capTolerance = 0.005

  /// Returns a result for each expectation.
  ///
  /// A met bound is *not testable* if the variants cannot differ: if all values are 0, or all are at
  /// the cap of the metric. A bound on one variant is compared with the other runs.
  ///
  /// - Parameters:
  ///   - expectations: The expectations of a scenario.
  ///   - runs: One run for each measured variant, by the variant's name.
  ///   - isSmall: Whether the runs have the small parameter set, at which only deterministic metrics
  ///     show the same contrast.
  /// - Returns: The results in the same order.
  public static func evaluate(
    _ expectations: [ScenarioExpectation], runs: [String: Run], isSmall: Bool = false
  ) -> [ExpectationResult] {
    expectations.map { expectation in
      let missing = expectation.variants.filter { runs[$0] == nil }
      guard missing.isEmpty else {
        return ExpectationResult(
          expectation, .notMeasured, reason: "no run of \(missing.joined(separator: ", "))")
      }
      let values = Values(expectation, runs)
      if isSmall, let timed = values.timed {
        return ExpectationResult(
          expectation, .notMeasured, reason: "\(timed) needs the full parameter set")
      }
      return values.result
    }
  }
}

/// The measured values of an expectation.
private struct Values {
  let expectation: ScenarioExpectation
  private let runs: [String: Run]
  private let definitions: [String: MetricDefinition]
  private let medians: [ScenarioExpectation.Reading: Double]

  init(_ expectation: ScenarioExpectation, _ runs: [String: Run]) {
    self.expectation = expectation
    self.runs = runs
    definitions = Dictionary(
      runs.values.flatMap(\.definitions).map { ($0.name, $0) }
    ) { first, _ in first }
    var medians: [ScenarioExpectation.Reading: Double] = [:]
    for reading in expectation.readings {
      medians[reading] = runs[reading.variant].flatMap { Self.median(of: reading.metric, in: $0) }
    }
    self.medians = medians
  }

  /// The first metric whose values depend on the speed of the machine, or nil.
  var timed: String? {
    expectation.metrics.first { definitions[$0]?.isDeterministic != true }
  }

  var result: ExpectationResult {
    if let reading = expectation.readings.first(where: { medians[$0] == nil }) {
      return ExpectationResult(
        expectation, .notMeasured,
        reason: "no completed launch of \(reading.variant) has \(reading.metric)", runs: ids)
    }
    do throws(FormulaError) {
      let left = try value(of: expectation.left)
      let right = try value(of: expectation.right)
      let isMet = expectation.relation.holds(left.baseValue, right.baseValue)
      let obstacle = isMet ? zero ?? capped : nil
      return ExpectationResult(
        expectation, obstacle != nil ? .notTestable : isMet ? .kept : .broken,
        left: left.baseValue, right: right.baseValue, dimension: left.dimension ?? share,
        reason: obstacle ?? "", runs: ids)
    } catch {
      return ExpectationResult(expectation, .notMeasured, reason: "\(error)", runs: ids)
    }
  }

  private var ids: [String] { expectation.variants.compactMap { runs[$0]?.id } }

  /// The dimension of shares, which formulas treat as plain numbers.
  private var share: Dimension? {
    guard case .metric = expectation.left,
      let metric = expectation.readings.first?.metric, definitions[metric]?.dimension == .ratio
    else { return nil }
    return .ratio
  }

  private func value(of formula: Formula) throws(FormulaError) -> Formula.Value {
    let values = Dictionary(
      expectation.readings.map { reading in
        (
          reading.description,
          medians[reading].map { Formula.Value($0, definitions[reading.metric]?.dimension) }
        )
      }
    ) { first, _ in first }
    return try formula.value { values[$0] ?? nil }
  }

  private static func median(of metric: String, in run: Run) -> Double? {
    let values = run.values(of: metric)
    // The share of all launches: a median would be 0 or 1.
    return metric == MetricName.crashRate
      ? (values.isEmpty ? nil : values.reduce(0, +) / Double(values.count))
      : try? Quantiles.median(of: values)
  }

  // MARK: - Contrasts that cannot be seen

  /// The values by which the variants could differ; nil if there is only one value.
  ///
  /// A bound on one variant is compared with the other runs.
  private var compared: [ScenarioExpectation.Reading: Double]? {
    guard expectation.variants.count == 1, let only = expectation.variants.first else {
      return medians
    }
    var all = medians
    for (variant, run) in runs where variant != only {
      for metric in expectation.metrics {
        all[.init(metric: metric, variant: variant)] = Self.median(of: metric, in: run)
      }
    }
    return all.count > medians.count ? all : nil
  }

  private var zero: String? {
    guard let compared, compared.values.allSatisfy({ $0 == 0 }) else { return nil }
    return "\(subject) is 0 in \(names(compared))"
  }

  private var capped: String? {
    guard let compared else { return nil }
    let caps = compared.keys.map { reading in
      runs[reading.variant].flatMap { cap(of: reading.metric, in: $0) }
    }
    let isCapped = zip(compared.values, caps).allSatisfy { value, cap in
      cap.map { value >= $0 * (1 - ExpectationEvaluator.capTolerance) } ?? false
    }
    guard isCapped, let first = caps.first, let cap = first,
      let dimension = expectation.metrics.first.flatMap({ definitions[$0]?.dimension })
    else { return nil }
    return "\(subject) is at its cap of \(NumberFormat.human(cap, dimension)) in "
      + names(compared)
  }

  /// The largest possible value of a metric; nil if there is none.
  private func cap(of metric: String, in run: Run) -> Double? {
    if metric == MetricName.frameRate {
      switch run.parameters[Calibration.refreshParameter] {
      case .int(let rate)?: return Double(rate)
      case .double(let rate)?: return rate
      default: return nil
      }
    }
    let definition = definitions[metric]
    return definition?.dimension == .ratio && definition?.direction == .higher ? 1 : nil
  }

  private var subject: String { expectation.metrics.joined(separator: " and ") }

  private func names(_ compared: [ScenarioExpectation.Reading: Double]) -> String {
    compared.keys.map(\.variant).uniqued().sorted().joined(separator: " and ")
  }
}
