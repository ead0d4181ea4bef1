internal import PerfModel

extension ScenarioFile {
  static func name(
    _ reader: MappingReader, fileName: String
  ) throws(ScenarioError) -> String {
    guard let node = reader["scenario"] else {
      throw reader.node.fail(.missingName(fileName: fileName))
    }
    let name = try node.string("scenario")
    guard isName(name) else { throw node.fail(.badName(name, of: "scenario")) }
    guard name == fileName else {
      throw node.fail(.nameIsNotFileName(name, fileName: fileName))
    }
    return name
  }

  /// Returns whether a text can be part of a reference like `scenario:variant`, of a path and of an
  /// id.
  static func isName(_ text: String) -> Bool {
    func isWord(_ character: Character) -> Bool {
      character.isASCII && (character.isLetter || character.isNumber)
    }
    guard let first = text.first, let last = text.last, isWord(first), last != "." else {
      return false
    }
    return text.allSatisfy { isWord($0) || "-_.".contains($0) } && !text.contains("..")
  }

  static func worker(
    _ reader: MappingReader, standard: Scenario.Worker?
  ) throws(ScenarioError) -> Scenario.Worker {
    guard let command = reader["command"] else {
      if reader["worker"] == nil, let standard { return standard }
      return try program(reader.required("worker"))
    }
    for other in ["worker", "workload", "arguments"] where reader[other] != nil {
      throw .content(reader.location(of: other), .conflictingKeys(other, "command"))
    }
    return .command(try command.words("command"))
  }

  /// Reads the words that a worker is started with.
  static func arguments(_ reader: MappingReader) throws(ScenarioError) -> [String] {
    guard let node = reader["arguments"] else { return [] }
    return try node.list("arguments", of: "words").map { item throws(ScenarioError) in
      guard let word = item.text else { throw item.mistyped("arguments", "a list of words") }
      return word
    }
  }

  /// Reads a worker: a product, or a path.
  static func program(_ node: YAMLNode) throws(ScenarioError) -> Scenario.Worker {
    let worker = try node.string("worker")
    return worker.contains("/") ? .path(worker) : .product(worker)
  }

  static func entries(
    _ reader: MappingReader, _ key: String
  ) throws(ScenarioError) -> [ParameterEntry] {
    try reader[key].map { node throws(ScenarioError) in
      try ParameterEntry.entries(of: node, key: key)
    } ?? []
  }

  static func parameters(_ entries: [ParameterEntry]) -> Parameters {
    Dictionary(entries.map { ($0.name, $0.value) }) { _, later in later }
  }

  static func variants(
    _ reader: MappingReader
  ) throws(ScenarioError) -> [NamedEntries] {
    guard let node = reader["variants"] else { return [("default", [])] }
    let pairs = try MappingReader.pairs(of: node, key: "variants")
    var result: [NamedEntries] = []
    for (name, pair) in pairs {
      node.faults.collect {
        guard isName(name) else { throw pair.key.fail(.badName(name, of: "variant")) }
        result.append((name, try ParameterEntry.entries(of: pair.value, key: name)))
      }
    }
    guard !pairs.isEmpty else {
      throw node.fail(
        .wrongType("variants", expected: "a mapping of names", found: "an empty one"))
    }
    return result
  }

  static func defaultVariant(
    _ reader: MappingReader, among names: [String]
  ) throws(ScenarioError) -> String {
    if reader["default_variant"] == nil, names.count == 1, let only = names.first { return only }
    let node = try reader.required("default_variant")
    let name = try node.string("default_variant")
    guard names.contains(name) else {
      throw node.fail(.unknownDefaultVariant(name, known: names))
    }
    return name
  }

  static func profileRate(_ reader: MappingReader) throws(ScenarioError) -> Int {
    guard let profile = try reader.mapping("profile", known: ["rate"]) else { return 1000 }
    let rate = try profile.required("rate")
    let limits = 0...20_000
    if case .int(let number)? = rate.value { return try rate.checked(number, "rate", in: limits) }
    let quantity = try rate.quantity("rate", .frequency, example: "1000 Hz")
    guard let number = Int(exactly: quantity.baseValue) else {
      throw rate.mistyped("rate", "a whole number of Hz")
    }
    return try rate.checked(number, "rate", in: limits)
  }
}
