internal import PerfModel

/// The `calibrate` section of a scenario.
struct CalibrationText {
  let calibration: Calibration
  let metric: MetricReference
  private let parameterLocation: SourceLocation
  private let targetLocation: SourceLocation

  /// Reads the section, and keeps its faults; nil if there are any.
  init?(_ reader: MappingReader, variants: [String]) {
    let faults = reader.node.faults
    func read<Value>(
      _ key: String, _ body: (YAMLNode) throws -> Value
    ) -> (node: YAMLNode, value: Value)? {
      faults.collect(else: nil) {
        let node = try reader.required(key)
        return (node, try body(node))
      }
    }
    let parameter = read("parameter") { try $0.string("parameter") }
    let variant = read("variant") { node in
      let name = try node.string("variant")
      guard variants.contains(name) else {
        throw node.fail(.unknownDefaultVariant(name, known: variants))
      }
      return name
    }
    let measured = read("metric") { try $0.string("metric") }
    let target = read("target") { try Self.target($0) }
    let range = read("range") { try Self.range($0) }
    guard let parameter, let variant, let measured, let target, let range else { return nil }
    (parameterLocation, targetLocation) = (parameter.node.location, target.node.location)
    calibration = Calibration(
      parameter: parameter.value, variant: variant.value, metric: measured.value,
      target: target.value, range: range.value)
    let unit: Unit =
      switch target.value {
      case .frames: .nanoseconds
      case .quantity(let quantity): quantity.unit
      }
    metric = MetricReference(
      name: calibration.metric, location: measured.node.location, unit: unit,
      unitLocation: target.node.location, isGating: false)
  }

  private static func target(_ node: YAMLNode) throws(ScenarioError) -> Calibration.Target {
    let text = try node.string("target")
    for word in ["frames", "frame"] where text.hasSuffix(word) {
      guard let count = YAMLNode.double(String(text.dropLast(word.count)).trimmingSpaces),
        count > 0
      else { break }
      return .frames(count)
    }
    let quantity: Quantity
    do {
      quantity = try QuantityText.parse(text, of: "target", nil, example: "1.5 frames")
    } catch {
      throw node.fail(error)
    }
    guard quantity.baseValue > 0 else {
      throw node.fail(.outOfRange("target", value: text, range: "above 0"))
    }
    return .quantity(quantity)
  }

  /// Reads `1000...8000`.
  private static func range(_ node: YAMLNode) throws(ScenarioError) -> ClosedRange<Double> {
    let ends = try node.string("range").split(separator: "...", omittingEmptySubsequences: false)
      .map { YAMLNode.double(String($0).trimmingSpaces) }
    guard ends.count == 2, let low = ends[0], let high = ends[1], 0 < low, low < high else {
      throw node.mistyped("range", "two positive numbers like '1000...8000'")
    }
    return low...high
  }

  /// Checks the parameter against the worker: it is a number, the range is allowed, and no variant sets it.
  func check(
    _ workload: WorkerDescription.Workload?,
    variants: [(name: String, parameters: [ParameterEntry])]
  ) throws(ScenarioError) {
    let name = calibration.parameter
    func fail(_ problem: ContentProblem) -> ScenarioError { .content(parameterLocation, problem) }
    guard let workload else { throw fail(.commandParameter(name)) }
    guard let declared = workload.parameters.first(where: { $0.name == name }) else {
      throw fail(
        .unknownParameter(
          name, workload: workload.name, known: workload.parameters.map(\.name)))
    }
    guard declared.kind == .int || declared.kind == .double else {
      throw fail(
        .wrongType("parameter", expected: "a parameter that is a number", found: "'\(name)'"))
    }
    let range = calibration.range
    guard range.lowerBound >= declared.minimum ?? -.infinity,
      range.upperBound <= declared.maximum ?? .infinity
    else {
      throw fail(
        .other(
          "'range' exceeds the values that workload '\(workload.name)' allows for '\(name)', "
            + "\(NumberFormat.significant(declared.minimum ?? -.infinity)) to "
            + "\(NumberFormat.significant(declared.maximum ?? .infinity)). Narrow it."))
    }
    if let variant = variants.first(where: { $0.parameters.contains { $0.name == name } }) {
      throw fail(
        .other(
          "variant '\(variant.name)' sets '\(name)', but all variants must have one calibrated "
            + "size. Remove '\(name)' from the variant."))
    }
    guard case .frames = calibration.target else { return }
    guard workload.parameters.contains(where: { $0.name == Calibration.refreshParameter }) else {
      throw ScenarioError.content(
        targetLocation,
        .other(
          "workload '\(workload.name)' has no parameter '\(Calibration.refreshParameter)', so a "
            + "frame has no length. Write a time, e.g. '10 ms'."))
    }
  }
}
