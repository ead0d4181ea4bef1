internal import PerfModel

/// What a `gate` says of metrics, in a scenario or in `perfkit.yml`; nil is what it does not say.
struct GateText: Hashable {
  /// The margin of metrics that name none.
  private(set) var margin: Scenario.Margin?
  /// The metrics that gate, with margins of their own where they have one.
  private(set) var metrics: [String: Scenario.Margin?]?
  /// Where they are named.
  private(set) var references: [MetricReference] = []

  /// Says nothing.
  init() {}

  /// Reads `margin` and `metrics`.
  init(_ gate: MappingReader) throws(ScenarioError) {
    if let node = gate["margin"] {
      let parsed = try MarginText(node, isRelative: true)
      if let absolute = parsed.absolute {
        throw absolute.node.fail(.absoluteMargin(absolute.node.text ?? ""))
      }
      margin = parsed.margin
    }
    guard let node = gate["metrics"] else { return }
    var margins: [String: Scenario.Margin?] = [:]
    for (name, pair) in try MappingReader.pairs(of: node, key: "metrics") {
      let metric = try MappingReader(
        pair.value, key: name, owner: "metric '\(name)'", known: ["margin"])
      let margin = try metric["margin"].map { node throws(ScenarioError) in
        try MarginText(node, isRelative: false)
      }
      margins.updateValue(margin?.margin, forKey: name)
      references.append(
        MetricReference(
          name: name, location: pair.key.location, unit: margin?.absolute?.unit,
          unitLocation: margin?.absolute?.node.location ?? pair.value.location, isGating: true))
    }
    metrics = margins
  }

  /// What decides.
  var policy: Scenario.GatePolicy {
    let standard = Scenario.GatePolicy()
    return Scenario.GatePolicy(margin: margin ?? standard.margin, metrics: metrics ?? [:])
  }

  /// Takes from the project what the scenario does not say; the scenario's own word wins.
  ///
  /// - Parameters:
  ///   - project: What `perfkit.yml` says.
  ///   - controls: Metrics that the scenario declares out of reach: they do not gate.
  /// - Returns: What both say together.
  func filled(from project: GateText, except controls: [String]) -> GateText {
    var filled = self
    filled.margin = margin ?? project.margin
    for reference in project.references where !controls.contains(reference.name) {
      let name = reference.name
      if let metrics {
        // Nobody but the scenario lists; of those listed without a margin some may have one there.
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
