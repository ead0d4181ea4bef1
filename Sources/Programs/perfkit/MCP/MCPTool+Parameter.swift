internal import PerfGate
internal import PerfReport

extension MCPTool.Parameter {
  /// The values of the argument as JSON Schema.
  var schema: JSONValue {
    var members: [String: JSONValue] = ["description": .string(summary)]
    let text = JSONValue.object(["type": "string"])
    switch kind {
    case .positional, .option: members["type"] = "string"
    case .choice(_, let names):
      members["type"] = "string"
      members["enum"] = .array(names.map(JSONValue.string))
    case .number(_, let range), .limit(let range):
      members["type"] = "integer"
      members["minimum"] = .int(range.lowerBound)
      members["maximum"] = .int(range.upperBound)
    case .flag: members["type"] = "boolean"
    case .repeated(_, let most):
      members["type"] = "array"
      members["items"] = text
      members["maxItems"] = .int(most)
    case .settings:
      members["type"] = "object"
      members["additionalProperties"] = text
    }
    return .object(members)
  }

  /// Returns the words of an option with its value.
  ///
  /// - Throws: `MCPError` if the value has a wrong type; `Failure` for a text with a null character.
  func options(_ value: JSONValue) throws -> [String] {
    switch (kind, value) {
    case (.option(let option), .string(let text)):
      return ["\(option)=\(try checked(text))"]
    case (.choice(let option, let names), .string(let text)) where names.contains(text):
      return ["\(option)=\(text)"]
    case (.number(let option, let range), .int(let number)) where range.contains(number):
      return ["\(option)=\(number)"]
    case (.limit(let range), .int(let number)) where range.contains(number):
      return []
    case (.flag(let option), .bool(let isSet)):
      return isSet ? [option] : []
    case (.repeated(let option, let most), .array(let texts)) where texts.count <= most:
      return try texts.map { text in
        guard case .string(let text) = text else { throw typeError }
        return "\(option)=\(try checked(text))"
      }
    case (.settings(let option), .object(let texts)):
      return try texts.sorted { $0.key < $1.key }.map { key, text in
        guard case .string(let text) = text else { throw typeError }
        return "\(option)=\(try checked("\(key)=\(text)"))"
      }
    default: throw typeError
    }
  }

  /// Returns the word of a positional argument.
  ///
  /// - Throws: `MCPError` if the value is no string; `Failure` for an empty text, a text with a null character,
  ///   or a text that begins with a hyphen unless that is allowed.
  func word(_ value: JSONValue, mayBeginWithHyphen: Bool) throws -> String {
    guard case .string(let text) = value else { throw typeError }
    guard !text.isEmpty else {
      throw Failure(
        "the argument '\(name)' is empty. Leave it out, or pass a name.", status: .usage)
    }
    guard mayBeginWithHyphen || !text.hasPrefix("-") else {
      throw Failure(
        "the argument '\(name)' must not begin with a hyphen, as '\(text)' does: it would be read as an "
          + "option.", status: .usage)
    }
    return try checked(text)
  }

  private var typeError: MCPError {
    MCPError(
      .invalidParameters,
      "The argument '\(name)' does not match its schema: \(schema.text(isIndented: false))")
  }

  private func checked(_ text: String) throws -> String {
    guard !text.utf8.contains(0) else {
      throw Failure(
        "the argument '\(name)' contains a null character, which no command line can.",
        status: .usage)
    }
    return text
  }
}
