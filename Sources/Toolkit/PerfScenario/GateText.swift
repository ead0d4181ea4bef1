internal import PerfModel

/// The `gate` section of a scenario or of `perfkit.yml`; absent values are nil.
struct GateText: Hashable {
  /// The margin of metrics without a margin.
  private(set) var margin: Scenario.Margin?
  /// The gating metrics, each with its margin or nil.
  private(set) var metrics: [String: Scenario.Margin?]?
  private(set) var references: [MetricReference] = []
  /// Whether comparisons count the executed instructions as well.
  private(set) var countsWork: Bool?

  init() {}

  init(_ gate: MappingReader) throws(ScenarioError) {
    let faults = gate.node.faults
    margin = faults.collect(else: nil) {
      guard let node = gate["margin"] else { return nil }
      let parsed = try MarginText(node, isRelative: true)
      if let absolute = parsed.absolute {
        throw absolute.node.fail(.absoluteMargin(absolute.node.text ?? ""))
      }
      return parsed.margin
    }
    countsWork = faults.collect(else: nil) { try gate["count"]?.bool("count") }
    guard let node = gate["metrics"] else { return }
    var margins: [String: Scenario.Margin?] = [:]
    for (name, pair) in try MappingReader.pairs(of: node, key: "metrics") {
      let margin = faults.collect(else: nil as MarginText?) {
        let metric = try MappingReader(
          pair.value, key: name, owner: "metric '\(name)'", known: ["margin"])
        return try metric["margin"].map { node throws(ScenarioError) in
          try MarginText(node, isRelative: false)
        }
      }
      margins.updateValue(margin?.margin, forKey: name)
      references.append(
        MetricReference(
          name: name, location: pair.key.location, unit: margin?.absolute?.unit,
          unitLocation: margin?.absolute?.node.location ?? pair.value.location, isGating: true))
    }
    metrics = margins
  }

  var policy: Scenario.GatePolicy {
    let standard = Scenario.GatePolicy()
    return Scenario.GatePolicy(margin: margin ?? standard.margin, metrics: metrics ?? [:])
  }

  /// Completes the scenario's section with the project's; values of the scenario take precedence.
  ///
  /// - Parameters:
  ///   - project: The section of `perfkit.yml`.
  ///   - controls: The scenario's control metrics, which never gate.
  /// - Returns: The completed section.
  func filled(from project: GateText, except controls: [String]) -> GateText {
    var filled = self
    filled.margin = margin ?? project.margin
    filled.countsWork = countsWork ?? project.countsWork
    for reference in project.references where !controls.contains(reference.name) {
      let name = reference.name
      if let metrics {
        // A scenario's list of metrics is final; its metrics without a margin inherit the
        // project's.
        guard let own = metrics[name], own == nil, margin == nil else { continue }
      }
      let inherited: Scenario.Margin? = margin == nil ? project.metrics?[name] ?? nil : nil
      filled.metrics = filled.metrics ?? [:]
      filled.metrics?.updateValue(inherited, forKey: name)
      filled.references.append(reference)
    }
    return filled
  }
}

/// A margin: `2%`, `1 ms/s`, or a list of both; a percentage is always of the base.
private struct MarginText {
  let margin: Scenario.Margin
  let absolute: (node: YAMLNode, unit: Unit)?

  init(_ node: YAMLNode, isRelative: Bool) throws(ScenarioError) {
    let items: [YAMLNode] = if case .list(let list) = node.content { list } else { [node] }
    var relative: Double?
    var absolute: (value: Double, node: YAMLNode, unit: Unit)?
    for item in items {
      guard let text = item.text else {
        throw item.mistyped("margin", isRelative ? "like '2%'" : "like '2%' or '1 ms/s'")
      }
      let quantity: Quantity
      do {
        quantity = try QuantityText.parse(text, of: "margin", nil, example: "2%")
      } catch {
        throw item.fail(error)
      }
      guard quantity.baseValue > 0 else {
        throw item.fail(.outOfRange("margin", value: "\(quantity)", range: "above 0"))
      }
      let isPercentage = quantity.unit == .percent
      guard isPercentage ? relative == nil : absolute == nil else {
        throw item.fail(
          .wrongType(
            "margin", expected: "one percentage, one amount, or one of each",
            found: "two of a kind"))
      }
      if isPercentage {
        relative = quantity.baseValue
      } else {
        absolute = (quantity.baseValue, item, quantity.unit)
      }
    }
    guard relative != nil || absolute != nil else {
      throw node.mistyped("margin", "like '2%' or '1 ms/s'")
    }
    margin = Scenario.Margin(relative: relative, absolute: absolute?.value)
    self.absolute = absolute.map { ($0.node, $0.unit) }
  }
}
