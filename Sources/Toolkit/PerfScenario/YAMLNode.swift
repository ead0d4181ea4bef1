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

  /// Parses the only document of a file, and lets a closure read it.
  ///
  /// - Parameters:
  ///   - text: The YAML text.
  ///   - file: The path of the file, for messages.
  ///   - body: Reads the root of the document; it may add faults to the root's `faults`.
  /// - Returns: The result of `body`.
  /// - Throws: `ScenarioError.content` for one fault, with its location; `several` for more.
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

  /// Parses the single document of a file, and keeps repeated keys as faults.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - file: The path for messages.
  ///   - repeated: The places of keys that were renamed, with their names in the file.
  /// - Returns: The document.
  /// - Throws: `content` with the location of invalid YAML, an empty file, or an alias.
  private static func compose(
    _ text: String, file: String, repeated: [SourceLocation: String] = [:]
  ) throws(ScenarioError) -> YAMLNode {
    let start = SourceLocation(file: file, line: 1, column: 1)
    // Yams hashes keys with all that they refer to, which grows exponentially with the aliases.
    guard aliases(in: text) <= mostAliases else { throw .content(start, .alias) }
    let parser: Parser
    let root: Node?
    do {
      parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      root = try parser.singleRoot()
    } catch {
      let place = place(of: error, in: text, file: file)
      let problem = problem(of: error)
      // Yams stops at a repeated key. With another name, the rest of the file is checked as well.
      guard case .duplicateKey(let key) = problem, repeated.count < mostRepeatedKeys,
        repeated.count * text.utf8.count < mostRepeatedBytes,
        let renamed = rename(key, at: place, in: text, to: repeated.count)
      else { throw .content(place, problem) }
      return try compose(
        renamed, file: file, repeated: repeated.merging([place: key]) { first, _ in first })
    }
    guard let root else {
      throw .content(start, .empty)
    }
    // Nodes hold their anchors weakly; the parser owns them.
    defer { withExtendedLifetime(parser) {} }
    return try YAMLNode(root, file: file, Faults(), repeated)
  }

  /// The most repeated keys that are renamed; each of them parses the file again.
  private static let mostRepeatedKeys = 20
  /// The most bytes that are parsed again, in about half a second.
  private static let mostRepeatedBytes = 1 << 20

  /// Replaces the first character of a key by one of the private use area of Unicode.
  ///
  /// All places in the text stay the same.
  ///
  /// - Returns: The text; nil if the key is not written there as it is read.
  private static func rename(
    _ key: String, at place: SourceLocation, in text: String, to number: Int
  ) -> String? {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map(Array.init)
    guard place.line <= lines.count, let first = key.unicodeScalars.first,
      let name = Unicode.Scalar(0xE000 + number)
    else { return nil }
    let rest = lines[place.line - 1].dropFirst(place.column - 1)
    let column = rest.first.map { "\"'".unicodeScalars.contains($0) } == true ? 1 : 0
    guard rest.dropFirst(column).first == first else { return nil }
    lines[place.line - 1][rest.startIndex + column] = name
    var renamed = String.UnicodeScalarView()
    renamed.append(contentsOf: lines.joined(separator: ["\n"]))
    return String(renamed)
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

  private init(
    _ node: Node, file: String, _ faults: Faults, _ repeated: [SourceLocation: String]
  ) throws(ScenarioError) {
    self.faults = faults
    location = SourceLocation(
      file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    // A resolved alias has the anchor as well, so this check refuses both, the anchor first.
    guard node.anchor == nil else { throw .content(location, .alias) }
    switch node {
    case .mapping(let mapping):
      var pairs: [(key: YAMLNode, value: YAMLNode)] = []
      for pair in mapping {
        let key = try YAMLNode(pair.key, file: file, faults, repeated)
        if let name = repeated[key.location] {
          faults.add(key.fail(.duplicateKey(name)))
        } else {
          pairs.append((key, try YAMLNode(pair.value, file: file, faults, repeated)))
        }
      }
      content = .mapping(pairs)
    case .sequence(let sequence):
      content = .list(
        try sequence.map { item throws(ScenarioError) in
          try YAMLNode(item, file: file, faults, repeated)
        })
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
