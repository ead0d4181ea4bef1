internal import PerfModel

/// Reads what is claimed and how near a measurement must come to it.
///
/// What is claimed is `[SUBJECT] RELATION NUMBER [... NUMBER] UNIT`, as `< 100 ms`,
/// `= 400 ... 500 count` or `less = 55x`. How near is `exactly`, `at most`, `at least`, `within 2x`
/// or `+- 1%`.
enum AssertionText {
  /// Reads an assertion.
  ///
  /// - Parameters:
  ///   - text: What is claimed.
  ///   - held: How near a measurement must come; nil where the file does not say.
  ///   - tolerance: What is taken then; nil where the file must say.
  /// - Returns: The assertion.
  /// - Throws: What is wrong with `text`, or with `held`.
  static func parse(
    _ text: String, held: String?, otherwise tolerance: Assertion.Tolerance? = nil
  ) throws(ContentProblem) -> Assertion {
    var words = text.split(separator: " ").map(String.init)
    var subject = Assertion.Subject.after
    if let first = words.first, let named = Assertion.Subject(rawValue: first) {
      subject = named
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
    let high = try quantity(last, of: subject)
    var low = high
    if parts.count == 2 {
      guard let number = YAMLNode.double(parts[0]) else { throw .badClaim(text) }
      low = Quantity(number, high.unit)
    }
    guard low.baseValue <= high.baseValue else { throw .badClaim(text) }
    switch (relation, held) {
    case (.equal, let held?):
      return Assertion(
        subject, relation, low, to: high,
        tolerance: try Self.tolerance(held, like: high, of: subject))
    case (.equal, nil):
      guard let tolerance else { throw .missingKey("held", of: "a claim of equality") }
      return Assertion(subject, relation, low, to: high, tolerance: tolerance)
    case (_, nil): return Assertion(subject, relation, high)
    case (_, _?): throw .conflictingKeys("held", relation.rawValue)
    }
  }

  private static func quantity(
    _ text: String, of subject: Assertion.Subject
  ) throws(ContentProblem) -> Quantity {
    switch subject {
    case .before, .after: return try QuantityText.parse(text, of: "claimed", nil, example: "100 ms")
    case .reduction: return try QuantityText.parse(text, of: "a reduction", .ratio, example: "80%")
    case .less, .more: return Quantity(baseValue: try times(text), unit: .ratio)
    }
  }

  private static func tolerance(
    _ text: String, like number: Quantity, of subject: Assertion.Subject
  ) throws(ContentProblem) -> Assertion.Tolerance {
    switch text {
    case "exactly": return .exactly
    case "at most": return .atMost
    case "at least": return .atLeast
    default: break
    }
    if text.hasPrefix("within ") {
      let factor = try times(String(text.dropFirst("within ".count)))
      guard factor > 1 else { throw .badTolerance(text) }
      return .factor(factor)
    }
    guard text.hasPrefix("+-") else { throw .badTolerance(text) }
    let rest = String(text.dropFirst(2)).trimmingSpaces
    if subject == .less || subject == .more {
      return .difference(Quantity(baseValue: try times(rest), unit: .ratio))
    }
    return .difference(
      try QuantityText.parse(rest, of: "held", number.unit.dimension, example: "+- 1%"))
  }

  /// Reads `2x`, a number of times over 0.
  private static func times(_ text: String) throws(ContentProblem) -> Double {
    guard text.hasSuffix("x"), let number = YAMLNode.double(String(text.dropLast())), number > 0
    else { throw .badTimes(text) }
    return number
  }
}
