internal import PerfModel

/// Reads a mapping whose keys must all be known.
package struct MappingReader {
  package let node: YAMLNode
  /// The name of the mapping in messages, such as "the scenario".
  let owner: String
  private let entries: [String: (key: YAMLNode, value: YAMLNode)]
  /// The faults of unknown keys, by the known keys that were probably meant.
  private let misspelled: [String: ScenarioError]

  /// Checks all keys of a mapping, and keeps unknown ones as faults.
  ///
  /// - Throws: `wrongType` if the node is no mapping or a key is no text.
  package init(
    _ node: YAMLNode, key: String, owner: String, known: [String]
  ) throws(ScenarioError) {
    self.node = node
    self.owner = owner
    var entries: [String: (key: YAMLNode, value: YAMLNode)] = [:]
    var misspelled: [String: ScenarioError] = [:]
    for (name, entry) in try Self.pairs(of: node, key: key) {
      guard known.contains(name) else {
        let fault = entry.key.fail(.unknownKey(name, of: owner, known: known))
        node.faults.add(fault)
        if let meant = NearestName.nearest(to: name, among: known) { misspelled[meant] = fault }
        continue
      }
      entries[name] = entry
    }
    (self.entries, self.misspelled) = (entries, misspelled)
  }

  package subscript(_ key: String) -> YAMLNode? { entries[key]?.value }

  /// Returns the location of a key, or of the mapping if the key is absent.
  package func location(of key: String) -> SourceLocation {
    entries[key]?.key.location ?? node.location
  }

  package func required(_ key: String) throws(ScenarioError) -> YAMLNode {
    guard let value = self[key] else {
      throw missing([key], .missingKey(key, of: owner))
    }
    return value
  }

  /// Returns the fault of a key that is probably one of those missing, or else a problem of the mapping.
  func missing(_ keys: [String], _ problem: ContentProblem) -> ScenarioError {
    keys.lazy.compactMap { misspelled[$0] }.first ?? node.fail(problem)
  }

  /// Returns a reader of the mapping under a key, or nil.
  package func mapping(_ key: String, known: [String]) throws(ScenarioError) -> MappingReader? {
    try self[key].map { node throws(ScenarioError) in
      try MappingReader(node, key: key, owner: "'\(key)'", known: known)
    }
  }

  /// Returns the names in the list under a key, and keeps the faults of others; none if the key is absent.
  func names(_ key: String) throws(ScenarioError) -> [String] {
    var names: [String] = []
    for item in try self[key]?.list(key, of: "names") ?? [] {
      node.faults.collect { names.append(try item.string(key)) }
    }
    return names
  }

  /// Returns the keys and values of a mapping in order.
  package static func pairs(
    of node: YAMLNode, key: String
  ) throws(ScenarioError) -> [(name: String, entry: (key: YAMLNode, value: YAMLNode))] {
    guard case .mapping(let pairs) = node.content else { throw node.mistyped(key, "a mapping") }
    return try pairs.map { pair throws(ScenarioError) in
      guard let name = pair.key.text else {
        throw pair.key.mistyped("a key of \(key)", "a text")
      }
      return (name, pair)
    }
  }
}
