public import PerfModel

/// The tables of `perfkit list`.
public enum ListDocument {
  /// Returns scenarios with their variants, grouped by case study; an asterisk marks the default
  /// variant.
  ///
  /// - Parameters:
  ///   - scenarios: The scenarios.
  ///   - headlines: The headline numbers of case studies in JSON, by the study's name.
  /// - Returns: The table.
  public static func scenarios(
    _ scenarios: [Scenario], headlines: [String: JSONValue] = [:]
  ) -> Table {
    let studies = Set(scenarios.compactMap { $0.caseStudy?.study }).sorted()
    let groups = (studies.map(Optional.some) + [nil]).map { study in
      Table.Group(
        title: study ?? (studies.isEmpty ? nil : "No case study"),
        rows: scenarios.filter { $0.caseStudy?.study == study }.map { scenario in
          row(scenario, headlines: study.flatMap { headlines[$0] })
        })
    }
    return Table(
      id: "scenarios", title: "",
      columns: [
        .init("scenario"), .init("variants", isDetail: true), .init("summary", isProse: true),
      ], groups: groups, caption: scenarios.isEmpty ? "" : "*: the default variant.")
  }

  private static func row(_ scenario: Scenario, headlines: JSONValue?) -> [Table.Cell] {
    let variants = scenario.variants.map {
      $0.name + ($0.name == scenario.defaultVariant ? "*" : "")
    }
    return [
      .init(
        scenario.name, .strong,
        json: headlines.map {
          .object(["scenario": .string(scenario.name), "headlines": $0])
        }), .init(variants.joined(separator: " ")),
      .init(scenario.summary),
    ]
  }

  /// Returns the variants of scenarios with their parameters.
  public static func variants(_ scenarios: [Scenario]) -> Table {
    let rows = scenarios.flatMap { scenario in
      scenario.variants.map { variant -> [Table.Cell] in
        let parameters = variant.parameters.sorted { $0.key < $1.key }
          .map { "\($0.key)=\($0.value)" }
        return [
          .init("\(scenario.name):\(variant.name)", .strong),
          .init(parameters.joined(separator: " ")),
        ]
      }
    }
    return Table(
      id: "variants", title: "",
      columns: [.init("variant"), .init("parameters", isProse: true)], rows: rows)
  }

  /// Returns metrics by group with their units and definitions.
  public static func metrics(_ definitions: [MetricDefinition]) -> Table {
    let columns: [Table.Column] = [
      .init("metric"), .init("unit"), .init("better"), .init("definition", isProse: true),
    ]
    let groups = MetricGroup.grouped(definitions, name: \.name) { definition -> [Table.Cell] in
      let better =
        definition.direction == .neutral ? Wording.nothing : definition.direction.rawValue
      return [
        .init(definition.name, .strong), .init(definition.baseUnit.symbol), .init(better),
        .init(definition.summary),
      ]
    }
    return Table(id: "metrics", title: "", columns: columns, groups: groups)
  }
}
