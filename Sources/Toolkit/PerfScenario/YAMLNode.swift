internal import Yams

/// A value of a scenario file with its location.
package struct YAMLNode {
  /// The kind and content of a value; scalars keep their text, so that no spelling is lost.
  package enum Content {
    case mapping([(key: YAMLNode, value: YAMLNode)])
    case list([YAMLNode])
    /// A text in quotes or in a block.
    case quoted(String)
    /// A text without quotes: a number, true, false, null, or a word.
    case plain(String)
  }

  package let content: Content
  package let location: SourceLocation
  /// The faults of the file.
  package let faults: Faults

  /// Reads the single document of a file.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - file: The path for messages.
  ///   - body: Reads the document; it may keep faults in the document's `faults`.
  /// - Returns: The result of `body`, if there are no faults.
  /// - Throws: `content` with the location of the only fault, or `several`.
  package static func read<Value>(
    _ text: String, file: String, as body: (YAMLNode) throws(ScenarioError) -> Value
  ) throws(ScenarioError) -> Value {
    let root = try compose(text, file: file)
    let value = root.faults.collect(else: nil as Value?) {
      try body(root)
    }
    try root.faults.check()
    guard let value else { preconditionFailure("a file without faults has a value") }
    return value
  }

  /// Parses the single document of a file.
  ///
  /// - Throws: `content` with the location of invalid YAML, an empty file, or an alias.
  private static func compose(_ text: String, file: String) throws(ScenarioError) -> YAMLNode {
    let start = SourceLocation(file: file, line: 1, column: 1)
    // Yams hashes keys with all that they refer to, which grows exponentially with the aliases.
    guard aliases(in: text) <= mostAliases else { throw .content(start, .alias) }
    let parser: Parser
    let root: Node?
    do {
      parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      root = try parser.singleRoot()
    } catch {
      throw .content(place(of: error, in: text, file: file), problem(of: error))
    }
    guard let root else {
      throw .content(start, .empty)
    }
    // Nodes hold their anchors weakly; the parser owns them.
    defer { withExtendedLifetime(parser) {} }
    return try YAMLNode(root, file: file, Faults())
  }

  /// The most aliases of a file that is parsed; each of them is refused afterwards, with its place.
  private static let mostAliases = 30

  /// Returns the number of words that may be aliases, such as `*name`.
  private static func aliases(in text: String) -> Int {
    var count = 0
    var before = UInt8(ascii: "\n")
    var isMark = false
    for byte in text.utf8 {
      if isMark, Character(UnicodeScalar(byte)).isLetter || (0x30...0x39).contains(byte) {
        count += 1
      }
      isMark = byte == UInt8(ascii: "*") && " \t\n\r[{,:?-".utf8.contains(before)
      before = byte
    }
    return count
  }

  private init(_ node: Node, file: String, _ faults: Faults) throws(ScenarioError) {
    self.faults = faults
    location = SourceLocation(
      file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    // A resolved alias has the anchor as well, so this check refuses both, the anchor first.
    guard node.anchor == nil else { throw .content(location, .alias) }
    switch node {
    case .mapping(let mapping):
      content = .mapping(
        try mapping.map { pair throws(ScenarioError) in
          (
            try YAMLNode(pair.key, file: file, faults), try YAMLNode(pair.value, file: file, faults)
          )
        })
    case .sequence(let sequence):
      content = .list(
        try sequence.map { item throws(ScenarioError) in try YAMLNode(item, file: file, faults) })
    case .scalar(let scalar):
      content = scalar.style == .plain ? .plain(scalar.string) : .quoted(scalar.string)
    case .alias: throw .content(location, .alias)
    }
  }

  private static func problem(of error: any Error) -> ContentProblem {
    switch error {
    case YamlError.duplicatedKeysInMapping(let duplicates, _):
      .duplicateKey(duplicates.first ?? "")
    case YamlError.reader(let problem, _, _, _): .notYAML(problem)
    case YamlError.scanner(let context, let problem, _, _),
      YamlError.parser(let context, let problem, _, _),
      YamlError.composer(let context, let problem, _, _):
      .notYAML([context?.text, problem].compactMap(\.self).joined(separator: ", "))
    default: .notYAML("\(error)")
    }
  }

  private static func place(
    of error: any Error, in text: String, file: String
  ) -> SourceLocation {
    switch error {
    case YamlError.scanner(_, _, let mark, _), YamlError.parser(_, _, let mark, _),
      YamlError.composer(_, _, let mark, _):
      return SourceLocation(file: file, line: mark.line, column: mark.column)
    case YamlError.duplicatedKeysInMapping(_, let context):
      return SourceLocation(file: file, line: context.mark.line, column: context.mark.column)
    case YamlError.reader(_, let offset?, _, _):
      let before = text.prefix(offset).split(separator: "\n", omittingEmptySubsequences: false)
      return SourceLocation(
        file: file, line: before.count, column: (before.last?.unicodeScalars.count ?? 0) + 1)
    default: return SourceLocation(file: file, line: 1, column: 1)
    }
  }
}
