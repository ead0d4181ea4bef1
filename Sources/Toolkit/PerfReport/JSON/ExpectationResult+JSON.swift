internal import PerfModel

extension ExpectationResult {
  /// The result as JSON; values are in base units.
  var json: JSONValue {
    .object([
      "expectation": .string(expectation.description),
      "verdict": .string(verdict.rawValue),
      "left": .optional(left),
      "right": .optional(right),
      "unit": .string(Unit.base(of: dimension ?? .count).symbol),
      "note": .string(reason),
      "runs": .array(runs.map(JSONValue.string)),
    ])
  }
}
