internal import PerfModel
internal import PerfScenario

/// The evidence of claims: runs, arithmetic, or none.
extension ClaimsFile {
  static func evidence(_ reader: MappingReader) throws(ScenarioError) -> Claim.Evidence {
    for (key, others) in [
      ("not_testable", measurement + ["formula", "held", "stated", "cause", "cap"]),
      ("formula", measurement + ["cause", "cap"]),
    ] where reader[key] != nil {
      for other in others where reader[other] != nil {
        throw .content(reader.location(of: other), .conflictingKeys(other, key))
      }
    }
    if let node = reader["not_testable"] {
      return .notTestable(because: try node.string("not_testable"))
    }
    if let node = reader["formula"] {
      let (formula, text) = try formula(node, "formula")
      do throws(FormulaError) {
        _ = try formula.value()
      } catch {
        throw node.fail(.badFormula(text, reason: "has no value: \(error)"))
      }
      return .computed(formula, text: text)
    }
    return .measured(try readings(reader))
  }

  static func readings(_ reader: MappingReader) throws(ScenarioError) -> Claim.Readings {
    let after = try source(try reader.required("after"), "after")
    let metric = try formula(try reader.required("metric"), "metric")
    let reading = Claim.Reading(source: after, formula: metric.formula, text: metric.text)
    guard let before = reader["before"] else {
      if reader["before_metric"] != nil {
        throw reader.node.fail(.missingKey("before", of: "a claim with 'before_metric'"))
      }
      return Claim.Readings(before: nil, after: reading)
    }
    let base = try source(before, "before")
    let other =
      if let node = reader["before_metric"] { try formula(node, "before_metric") } else { metric }
    return Claim.Readings(
      before: Claim.Reading(source: base, formula: other.formula, text: other.text), after: reading)
  }

  private static func source(
    _ node: YAMLNode, _ key: String
  ) throws(ScenarioError) -> Claim.Source {
    let parts = try node.string(key).split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw node.mistyped(key, "like 'store-query:optimised'")
    }
    return Claim.Source(scenario: String(parts[0]), variant: String(parts[1]))
  }

  private static func formula(
    _ node: YAMLNode, _ key: String
  ) throws(ScenarioError) -> (formula: Formula, text: String) {
    let text = try node.string(key)
    do throws(FormulaText.Failure) {
      return (try FormulaText.parse(text), text)
    } catch {
      throw .content(node.location(ofCharacter: error.offset), error.problem)
    }
  }
}
