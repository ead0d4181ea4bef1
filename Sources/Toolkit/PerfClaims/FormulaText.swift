internal import PerfModel
internal import PerfScenario

/// The parser of formulas such as `(284 * 8 ms + 71 * 82 ms) / 1247`.
///
/// A number may be followed by a unit; a name is a metric; `min` and `max` take several values.
struct FormulaText {
  struct Failure: Error {
    let problem: ContentProblem
    /// The offset in the text, in characters.
    let offset: Int
  }

  /// The deepest nesting of brackets: the parser is recursive, and its stack is limited.
  private static let deepest = 50

  private let text: String
  private let characters: [Character]
  private var place = 0
  private var depth = 0

  static func parse(_ text: String) throws(Failure) -> Formula {
    var reader = FormulaText(text)
    let formula = try reader.sum()
    guard reader.next == nil else { throw reader.failure("continues after its end") }
    return formula
  }

  private init(_ text: String) {
    self.text = text
    characters = Array(text)
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
    let name = word { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard next == "(" else { return .metric(name) }
    guard let function = Formula.Function(rawValue: name) else {
      place = start
      throw failure("calls '\(name)', but the functions are min and max")
    }
    return .function(function, try bracketed(isList: true))
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

  private func failure(_ reason: String) -> Failure {
    Failure(problem: .badFormula(text, reason: reason), offset: place)
  }
}
