internal import PerfModel

extension YAMLNode {
  /// The kind of value, for messages.
  var kindName: String {
    switch content {
    case .mapping: "a mapping"
    case .list: "a list"
    case .quoted(let text): "the text '\(text)'"
    case .plain(let text): Self.isNull(text) ? "nothing" : "'\(text)'"
    }
  }

  /// The text of a scalar; nil for lists, mappings and null.
  var text: String? {
    switch content {
    case .quoted(let text): text
    case .plain(let text): Self.isNull(text) ? nil : text
    default: nil
    }
  }

  /// Returns the location of a character of the text, if the text is written without escapes.
  package func location(ofCharacter offset: Int) -> SourceLocation {
    let isPlain = if case .plain = content { true } else { false }
    return SourceLocation(
      file: location.file, line: location.line,
      column: location.column + offset + (isPlain ? 0 : 1))
  }

  /// The value of a scalar by YAML's core schema; nil for other nodes.
  ///
  /// The additional booleans (`yes`, `off`) and the sexagesimal numbers of YAML 1.1 are texts.
  var value: ParameterValue? {
    switch content {
    case .quoted(let text): return .string(text)
    case .plain(let text): return Self.isNull(text) ? nil : Self.value(of: text)
    default: return nil
    }
  }

  /// Returns the value of a text without quotes.
  static func value(of text: String) -> ParameterValue {
    switch text {
    case "true": .bool(true)
    case "false": .bool(false)
    default: int(text).map { .int($0) } ?? double(text).map { .double($0) } ?? .string(text)
    }
  }

  /// Returns the whole number of a plain text, or nil.
  package static func int(_ text: String) -> Int? {
    text.allSatisfy { $0.isASCII && ($0.isNumber || "+-".contains($0)) } ? Int(text) : nil
  }

  /// Returns the finite number of a text, or nil; "inf" and "nan" are words.
  package static func double(_ text: String) -> Double? {
    guard text.contains(where: \.isNumber),
      text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value
  }

  private static func isNull(_ text: String) -> Bool { ["", "~", "null"].contains(text) }

  // MARK: - Checked reading

  package func fail(_ problem: ContentProblem) -> ScenarioError { .content(location, problem) }

  package func mistyped(_ key: String, _ expected: String) -> ScenarioError {
    fail(.wrongType(key, expected: expected, found: kindName))
  }

  func bool(_ key: String) throws(ScenarioError) -> Bool {
    guard case .bool(let flag)? = value else { throw mistyped(key, "true or false") }
    return flag
  }

  package func string(_ key: String) throws(ScenarioError) -> String {
    guard let text, !text.isEmpty else { throw mistyped(key, "a text") }
    return text
  }

  func int(_ key: String, in range: ClosedRange<Int>) throws(ScenarioError) -> Int {
    guard case .int(let number)? = value else { throw mistyped(key, "a whole number") }
    return try checked(number, key, in: range)
  }

  package func list(_ key: String, of what: String) throws(ScenarioError) -> [YAMLNode] {
    guard case .list(let items) = content else {
      let words = what == "words" ? text?.split(separator: " ") ?? [] : []
      throw mistyped(
        key,
        "a list of \(what)" + (words.isEmpty ? "" : ", e.g. [\(words.joined(separator: ", "))]"))
    }
    return items
  }

  func words(_ key: String) throws(ScenarioError) -> [String] {
    var words: [String] = []
    for item in try list(key, of: "words") {
      // An argument may be empty; the program's name may not.
      guard let word = item.text, !words.isEmpty || !word.isEmpty else {
        throw item.mistyped(key, "a list of words")
      }
      words.append(word)
    }
    guard !words.isEmpty else {
      throw fail(.wrongType(key, expected: "a program and its arguments", found: "an empty list"))
    }
    return words
  }

  func checked(
    _ number: Int, _ key: String, in range: ClosedRange<Int>
  ) throws(ScenarioError) -> Int {
    guard range.contains(number) else {
      let limits =
        "\(NumberFormat.grouped(range.lowerBound)) to \(NumberFormat.grouped(range.upperBound))"
      throw fail(.outOfRange(key, value: NumberFormat.grouped(number), range: limits))
    }
    return number
  }

  func quantity(
    _ key: String, _ dimension: Dimension, example: String
  ) throws(ScenarioError) -> Quantity {
    guard let text else { throw mistyped(key, "a number with a unit like '\(example)'") }
    do {
      return try QuantityText.parse(text, of: key, dimension, example: example)
    } catch {
      throw fail(error)
    }
  }

  func duration(_ key: String, isZeroAllowed: Bool) throws(ScenarioError) -> UInt64 {
    let quantity = try quantity(key, .time, example: "60s")
    // A duration of more than a day is most likely a wrong unit.
    guard (isZeroAllowed ? 0 : 1)...86_400_000_000_000 ~= quantity.baseValue else {
      throw fail(
        .outOfRange(
          key, value: "\(quantity)",
          range: isZeroAllowed ? "0s to 24 hours" : "above 0, to 24 hours"))
    }
    return UInt64(quantity.baseValue)
  }
}
