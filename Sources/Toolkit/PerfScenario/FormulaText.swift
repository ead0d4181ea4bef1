package import PerfModel

/// The parser of formulas such as `(284 * 8 ms + 71 * 82 ms) / 1247`.
///
/// A number may be followed by a unit; a name is a metric; `min` and `max` take several values.
/// In a formula over variants, each metric names its variant: `frame.rate(naive)`, or for short
/// `naive.frame.rate`.
package struct FormulaText {
  package struct Failure: Error {
    package let problem: ContentProblem
    /// The offset in the text, in characters.
    package let offset: Int
  }

  /// The deepest nesting of brackets: the parser is recursive, and its stack is limited.
  private static let deepest = 50

  /// The text of messages.
  private let text: String
  private let characters: [Character]
  /// The variants that metrics may name; nil if metrics have no variant.
  private let variants: [String]?
  private var place = 0
  private var depth = 0
  /// The metrics with a variant, and their offsets.
  private(set) var readings: [(reading: ScenarioExpectation.Reading, offset: Int)] = []

  package static func parse(_ text: String) throws(Failure) -> Formula {
    var reader = FormulaText(text, variants: nil)
    return try reader.formula()
  }

  /// Creates a parser of a text, which may be a part of a statement.
  init(_ text: String, of statement: String? = nil, variants: [String]?) {
    self.text = statement ?? text
    self.variants = variants
    characters = Array(text)
  }

  /// Parses the whole text.
  mutating func formula() throws(Failure) -> Formula {
    let formula = try sum()
    guard next == nil else { throw failure("continues after its end") }
    return formula
  }

  private mutating func sum() throws(Failure) -> Formula {
    var left = try product()
    while let sign = operation(among: [.plus, .minus]) {
      left = .operation(sign, left, try product())
    }
    return left
  }

  private mutating func product() throws(Failure) -> Formula {
    var left = try operand()
    while let sign = operation(among: [.times, .over]) {
      left = .operation(sign, left, try operand())
    }
    return left
  }

  private mutating func operand() throws(Failure) -> Formula {
    guard let first = next else { throw failure("ends where a number is expected") }
    if first.isNumber { return .number(try number()) }
    if first == "(" { return try bracketed()[0] }
    guard first.isLetter else { throw failure("has '\(first)' where a number is expected") }
    let start = place
    if let variants, let metric = prefixed(by: variants) { return metric }
    let name = metricName()
    guard next == "(" else {
      guard variants == nil else {
        throw failure("names no variant of '\(name)'; write \(name)(VARIANT)", at: start)
      }
      return .metric(name)
    }
    if let function = Formula.Function(rawValue: name) {
      return .function(function, try bracketed(isList: true))
    }
    guard let variants else {
      throw failure("calls '\(name)', but the functions are min and max", at: start)
    }
    return try metric(name, at: start, of: variants)
  }

  private mutating func metricName() -> String {
    word { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
  }

  /// Parses `(VARIANT)` after the name of a metric.
  private mutating func metric(
    _ name: String, at start: Int, of variants: [String]
  ) throws(Failure) -> Formula {
    place += 1
    let variantStart = place
    let rest = characters[place...].prefix { $0 != ")" }
    place += rest.count
    guard next == ")" else { throw failure("lacks a ')'") }
    place += 1
    let variant = String(rest).trimmingSpaces
    guard variants.contains(variant) else {
      throw Failure(
        problem: .unknownDefaultVariant(variant, known: variants), offset: variantStart)
    }
    return reading(ScenarioExpectation.Reading(metric: name, variant: variant), at: start)
  }

  /// Parses `VARIANT.METRIC`; returns nil if the text continues differently.
  private mutating func prefixed(by variants: [String]) -> Formula? {
    let start = place
    let found = variants.filter { characters[place...].starts(with: "\($0).") }
    guard let variant = found.max(by: { $0.count < $1.count }) else { return nil }
    place += variant.count + 1
    let name = metricName()
    // The variant's name may also begin the name of a metric: `frame.rate(naive)`.
    guard !name.isEmpty, next != "(" else {
      place = start
      return nil
    }
    return reading(ScenarioExpectation.Reading(metric: name, variant: variant), at: start)
  }

  private mutating func reading(_ reading: ScenarioExpectation.Reading, at offset: Int) -> Formula {
    readings.append((reading, offset))
    return .metric(reading.description)
  }

  /// Parses one formula in brackets, or a list of at least one.
  private mutating func bracketed(isList: Bool = false) throws(Failure) -> [Formula] {
    place += 1
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw failure("nests brackets deeper than \(Self.deepest) levels")
    }
    var items = [try sum()]
    while isList, next == "," {
      place += 1
      items.append(try sum())
    }
    guard next == ")" else { throw failure("lacks a ')'") }
    place += 1
    return items
  }

  private mutating func number() throws(Failure) -> Formula.Value {
    let start = place
    let digits = word { $0.isNumber || $0 == "." }
    guard let value = YAMLNode.double(digits) else {
      place = start
      throw failure("contains '\(digits)', which is not a number")
    }
    guard let first = next, first.isLetter || first == "%" else { return Formula.Value(value) }
    let unitStart = place
    var symbol = first == "%" ? word { $0 == "%" } : word { $0.isLetter }
    if symbol == "ms", characters[place...].starts(with: ["/", "s"]) {
      symbol += "/s"
      place += 2
    }
    guard let unit = Unit.named(symbol) else {
      place = unitStart
      throw Failure(
        problem: .unknownUnit(symbol, text: String(characters[start..<unitStart + symbol.count])),
        offset: unitStart)
    }
    let quantity = Quantity(value, unit)
    return Formula.Value(quantity.baseValue, unit.dimension)
  }

  /// Skips spaces and returns the next character.
  private var next: Character? {
    mutating get {
      while place < characters.count, characters[place] == " " { place += 1 }
      return place < characters.count ? characters[place] : nil
    }
  }

  private mutating func operation(among signs: [Formula.Operation]) -> Formula.Operation? {
    guard let sign = next.flatMap(Formula.Operation.init), signs.contains(sign) else { return nil }
    place += 1
    return sign
  }

  private mutating func word(of isPart: (Character) -> Bool) -> String {
    let word = characters[place...].prefix { $0.isASCII && isPart($0) }
    place += word.count
    return String(word)
  }

  private func failure(_ reason: String, at offset: Int? = nil) -> Failure {
    Failure(
      problem: variants == nil
        ? .badFormula(text, reason: reason) : .badExpectation(text, reason: reason),
      offset: offset ?? place)
  }
}

extension ContentProblem {
  package static func badFormula(_ text: String, reason: String) -> ContentProblem {
    .other("formula '\(text)' \(reason). Write e.g. '(284 * 8 ms + 71 * 82 ms) / 1247'.")
  }

  static func badExpectation(_ text: String, reason: String) -> ContentProblem {
    .other(
      "expectation '\(text)' \(reason). Write e.g. 'frame.hitch_count(naive) >= 20' or "
        + "'rss.peak(naive) > 2 * rss.peak(optimised)'.")
  }
}
