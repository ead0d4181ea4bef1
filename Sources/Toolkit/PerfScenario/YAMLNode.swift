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

  /// Parses the single document of a file.
  ///
  /// - Throws: `content` with the location of invalid YAML, an empty file, or an alias.
  package static func compose(_ text: String, file: String) throws(ScenarioError) -> YAMLNode {
    let parser: Parser
    let root: Node?
    do {
      parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      root = try parser.singleRoot()
    } catch {
      throw .content(place(of: error, in: text, file: file), problem(of: error))
    }
    guard let root else {
      throw .content(SourceLocation(file: file, line: 1, column: 1), .empty)
    }
    // Nodes hold their anchors weakly; the parser owns them.
    defer { withExtendedLifetime(parser) {} }
    return try YAMLNode(root, file: file)
  }

  private init(_ node: Node, file: String) throws(ScenarioError) {
    location = SourceLocation(
      file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    // A resolved alias has the anchor as well, so this check refuses both, the anchor first.
    guard node.anchor == nil else { throw .content(location, .alias) }
    switch node {
    case .mapping(let mapping):
      content = .mapping(
        try mapping.map { pair throws(ScenarioError) in
          (try YAMLNode(pair.key, file: file), try YAMLNode(pair.value, file: file))
        })
    case .sequence(let sequence):
      content = .list(
        try sequence.map { item throws(ScenarioError) in try YAMLNode(item, file: file) })
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
