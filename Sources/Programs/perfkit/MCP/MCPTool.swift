internal import PerfModel
internal import PerfReport

/// A tool of the server, which runs a verb of the command.
struct MCPTool: Sendable {
  /// An argument of a tool, and its words on the command line of the verb.
  struct Parameter: Sendable {
    /// The values of an argument.
    enum Kind: Sendable {
      /// A text without an option, in the order of the parameters.
      case positional
      /// A text for an option.
      case option(String)
      /// One of a few texts for an option.
      case choice(String, of: [String])
      /// An integer for an option.
      case number(String, in: ClosedRange<Int>)
      /// An integer for the server, which limits the result.
      case limit(ClosedRange<Int>)
      /// A flag.
      case flag(String)
      /// Texts for an option that is repeated.
      case repeated(String, most: Int)
      /// Texts by name for an option that is repeated as NAME=VALUE.
      case settings(String)
    }

    let name: String
    let kind: Kind
    let summary: String
    var isRequired = false
  }

  let name: String
  let title: String
  let summary: String
  /// The words of the verb.
  let verb: [String]
  let parameters: [Parameter]
  /// Whether the verb changes no file and measures nothing.
  let isReading: Bool
  /// Whether the verb accepts `--` before its positional arguments, which ends the options.
  let endsOptions: Bool
  /// The key of the array that the verb prints; nil if the verb prints an object.
  let listKey: String?

  init(
    _ name: String, _ title: String, _ summary: String, verb: [String],
    _ parameters: [Parameter] = [], isReading: Bool, endsOptions: Bool = false,
    listKey: String? = nil
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.verb = verb
    self.parameters = parameters
    self.isReading = isReading
    self.endsOptions = endsOptions
    self.listKey = listKey
  }

  /// The tool in an answer to `tools/list`.
  var json: JSONValue {
    .object([
      "name": .string(name), "title": .string(title), "description": .string(summary),
      "inputSchema": .object([
        "type": "object",
        "properties": .object(
          Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.schema) })),
        "required": .array(parameters.filter(\.isRequired).map { .string($0.name) }),
        "additionalProperties": .bool(false),
      ]),
      "annotations": .object([
        "readOnlyHint": .bool(isReading), "destructiveHint": .bool(false),
        "openWorldHint": .bool(false),
      ]),
    ])
  }

  /// Returns the words of the command line for arguments.
  ///
  /// No text can become an option: options contain their value, as in `--label=-x`, and positional words
  /// follow `--` or must not begin with a hyphen.
  ///
  /// - Throws: `MCPError` for an unknown, missing or wrong argument; `Failure` for a text that the command
  ///   line cannot contain.
  func words(_ arguments: JSONValue, more: [String]) throws -> [String] {
    guard case .object(let values) = arguments else {
      throw MCPError(.invalidParameters, "The arguments of '\(name)' must be an object.")
    }
    let known = parameters.map(\.name)
    if let unknown = values.keys.sorted().first(where: { !known.contains($0) }) {
      throw MCPError(
        .invalidParameters,
        "The tool '\(name)' has no argument '\(unknown)'"
          + NearestName.hint(for: unknown, among: known))
    }
    var (options, positional): ([String], [String]) = ([], [])
    for parameter in parameters {
      let value = values[parameter.name] ?? .null
      guard value != .null else {
        if parameter.isRequired {
          throw MCPError(
            .invalidParameters, "The tool '\(name)' needs the argument '\(parameter.name)'.")
        }
        continue
      }
      if case .positional = parameter.kind {
        positional.append(try parameter.word(value, mayBeginWithHyphen: endsOptions))
      } else {
        options += try parameter.options(value)
      }
    }
    return verb + options + more + (endsOptions && !positional.isEmpty ? ["--"] : []) + positional
  }
}
