internal import PerfModel
internal import PerfScenario

/// The parser of assertions.
///
/// A claim has the form `[SUBJECT] RELATION NUMBER [... NUMBER] UNIT`, e.g. `< 100 ms`,
/// `= 400 ... 500 count` or `less = 55x`. A tolerance is `exactly`, `at most`, `at least`, `within 2x`
/// or `+- 1%`.
enum AssertionText {
  /// Parses a claim with the text of its tolerance; a claim of equality without one has the default
  /// tolerance, and is an error if that is nil.
  static func parse(
    _ text: String, held: String?, default tolerance: Assertion.Tolerance? = nil
  ) throws(ContentProblem) -> Assertion {
    var words = text.split(separator: " ").map(String.init)
    var aspect = Assertion.Aspect.after
    if let first = words.first, let named = Assertion.Aspect(rawValue: first) {
      aspect = named
      words.removeFirst()
    }
    guard let sign = words.first, let relation = Assertion.Relation(rawValue: sign) else {
      throw .badClaim(text)
    }
    words.removeFirst()
    let parts = words.split(separator: "...").map { $0.joined(separator: " ") }
    guard parts.count == 1 || parts.count == 2 && relation == .equal, let last = parts.last else {
      throw .badClaim(text)
    }
    let high = try quantity(last, of: aspect)
    var low = high
    if parts.count == 2 {
      guard let number = YAMLNode.double(parts[0]) else { throw .badClaim(text) }
      low = Quantity(number, high.unit)
    }
    guard low.baseValue <= high.baseValue else { throw .badClaim(text) }
    switch (relation, held) {
    case (.equal, let held?):
      return Assertion(
        aspect, relation, low, to: high,
        tolerance: try Self.tolerance(held, like: high, of: aspect))
    case (.equal, nil):
      guard let tolerance else { throw .missingKey("held", of: "a claim of equality") }
      return Assertion(aspect, relation, low, to: high, tolerance: tolerance)
    case (_, nil): return Assertion(aspect, relation, high)
    case (_, _?): throw .conflictingKeys("held", relation.rawValue)
    }
  }

  private static func quantity(
    _ text: String, of aspect: Assertion.Aspect
  ) throws(ContentProblem) -> Quantity {
    switch aspect {
    case .before, .after: return try QuantityText.parse(text, of: "claimed", nil, example: "100 ms")
    case .reduction: return try QuantityText.parse(text, of: "a reduction", .ratio, example: "80%")
    case .less, .more: return Quantity(baseValue: try factor(text), unit: .ratio)
    }
  }

  private static func tolerance(
    _ text: String, like number: Quantity, of aspect: Assertion.Aspect
  ) throws(ContentProblem) -> Assertion.Tolerance {
    switch text {
    case "exactly": return .exactly
    case "at most": return .atMost
    case "at least": return .atLeast
    default: break
    }
    if text.hasPrefix("within ") {
      let factor = try Self.factor(String(text.dropFirst("within ".count)))
      guard factor > 1 else { throw .badTolerance(text) }
      return .factor(factor)
    }
    guard text.hasPrefix("+-") else { throw .badTolerance(text) }
    let rest = String(text.dropFirst(2)).trimmingSpaces
    if aspect == .less || aspect == .more {
      return .difference(Quantity(baseValue: try factor(rest), unit: .ratio))
    }
    return .difference(
      try QuantityText.parse(rest, of: "held", number.unit.dimension, example: "+- 1%"))
  }

  /// Parses a positive factor, such as `2x`.
  private static func factor(_ text: String) throws(ContentProblem) -> Double {
    guard text.hasSuffix("x"), let number = YAMLNode.double(String(text.dropLast())), number > 0
    else { throw .badFactor(text) }
    return number
  }
}
