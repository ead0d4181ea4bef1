public import PerfModel

extension ScenarioFile {
  /// The keys of scenarios with a `command`.
  static let commandKeys = [
    "directory", "environment", "stdin", "prepare", "cleanup", "accept_exit", "output", "metrics",
  ]

  /// Creates a file of a scenario that no file contains, such as a command of the command line.
  ///
  /// - Parameter scenario: A valid scenario of a command without parameters.
  public init(of scenario: Scenario) {
    (products, build, projectFolder) = (nil, [], nil)
    path = ""
    self.scenario = scenario
    (parameters, quick, metrics) = ([], [], [])
    variants = scenario.variants.map { ($0.name, []) }
    workloadLocation = SourceLocation(file: "", line: 1, column: 1)
    (expectations, calibration) = ([], nil)
  }

  /// Reads the keys of a command.
  static func command(
    _ reader: MappingReader, isCommand: Bool
  ) throws(ScenarioError) -> Scenario.CommandSettings {
    guard isCommand else {
      if let key = commandKeys.first(where: { reader[$0] != nil }) {
        throw .content(reader.location(of: key), .needsCommand(key))
      }
      return Scenario.CommandSettings()
    }
    let faults = reader.node.faults
    let metrics = faults.collect(else: []) { try commandMetrics(reader) }
    return Scenario.CommandSettings(
      directory: faults.collect(else: nil) { try reader["directory"]?.string("directory") },
      environment: faults.collect(else: [:]) { try environment(reader) },
      input: faults.collect(else: nil) { try reader["stdin"]?.string("stdin") },
      prepare: faults.collect(else: []) { try reader["prepare"]?.words("prepare") ?? [] },
      cleanup: faults.collect(else: []) { try reader["cleanup"]?.words("cleanup") ?? [] },
      acceptedExits: faults.collect(else: []) { try acceptedExits(reader) },
      keepsOutput: faults.collect(else: false) {
        try keepsOutput(reader, isRead: metrics.contains { $0.source.isOutput })
      },
      metrics: metrics)
  }

  private static func environment(
    _ reader: MappingReader
  ) throws(ScenarioError) -> [String: String] {
    var variables: [String: String] = [:]
    guard let node = reader["environment"] else { return variables }
    for (name, pair) in try MappingReader.pairs(of: node, key: "environment") {
      node.faults.collect {
        guard !name.isEmpty, !name.contains("=") else {
          throw pair.key.mistyped("environment", "a mapping of variables")
        }
        guard let text = pair.value.text else { throw pair.value.mistyped(name, "a text") }
        variables[name] = text
      }
    }
    return variables
  }

  private static func acceptedExits(_ reader: MappingReader) throws(ScenarioError) -> Set<Int32> {
    guard let node = reader["accept_exit"] else { return [0] }
    let items: [YAMLNode] = if case .list(let list) = node.content { list } else { [node] }
    var exits: Set<Int32> = []
    for item in items {
      node.faults.collect { exits.insert(Int32(try item.int("accept_exit", in: 0...255))) }
    }
    guard !items.isEmpty else {
      throw node.fail(
        .wrongType("accept_exit", expected: "a list of exit statuses", found: "an empty list"))
    }
    return exits
  }

  private static func keepsOutput(
    _ reader: MappingReader, isRead: Bool
  ) throws(ScenarioError) -> Bool {
    guard let node = reader["output"] else { return isRead }
    let (text, choices) = (try node.string("output"), ["discard", "keep"])
    guard choices.contains(text) else {
      throw node.fail(.notAChoice("output", value: text, choices: choices))
    }
    guard text == "keep" || !isRead else { throw node.fail(.discardedMetrics) }
    return text == "keep"
  }

  // MARK: - Metrics

  private typealias Tool = Scenario.CommandMetric.Tool

  /// Returns the names of a command's metrics, also of those with faults; nil if they cannot be read.
  static func commandMetricNames(_ reader: MappingReader) -> Set<String>? {
    guard let node = reader["metrics"] else { return [] }
    return (try? MappingReader.pairs(of: node, key: "metrics")).map { Set($0.map(\.name)) }
  }

  private static func commandMetrics(
    _ reader: MappingReader
  ) throws(ScenarioError) -> [Scenario.CommandMetric] {
    guard let node = reader["metrics"] else { return [] }
    let sources = ["pattern", "line", "file"] + Tool.allCases.map(\.rawValue)
    var metrics: [Scenario.CommandMetric] = []
    for (name, pair) in try MappingReader.pairs(of: node, key: "metrics") {
      node.faults.collect {
        guard isName(name) else { throw pair.key.fail(.badName(name, of: "metric")) }
        guard MetricCatalog.standard[name] == nil else {
          throw pair.key.fail(.standardMetric(name))
        }
        let entry = try MappingReader(
          pair.value, key: name, owner: "metric '\(name)'",
          known: sources + ["key", "unit", "better"])
        let given = sources.filter { entry[$0] != nil }
        guard let kind = given.first, let text = try entry[kind]?.string(kind) else {
          throw pair.key.fail(.noSource(name, choices: sources))
        }
        if given.count > 1 {
          throw ScenarioError.content(
            entry.location(of: given[1]), .conflictingKeys(kind, given[1]))
        }
        let unit = node.faults.collect(else: nil as Unit?) {
          try Self.unit(entry, isOfTool: Tool(rawValue: kind) != nil)
        }
        let better = node.faults.collect(else: nil as Direction?) { try direction(entry) }
        let source = try Self.source(kind, text, entry)
        guard let unit, let better else { return }
        metrics.append(
          Scenario.CommandMetric(
            definition: MetricDefinition(
              name: name, dimension: unit.dimension, direction: better,
              // Values of other dimensions may be zero or negative.
              scale: [.time, .size, .frequency].contains(unit.dimension) ? .ratio : .difference,
              summary: "Reported by the command (\(kind): \(text))."),
            unit: unit, source: source))
      }
    }
    return metrics
  }

  private static func source(
    _ kind: String, _ text: String, _ entry: MappingReader
  ) throws(ScenarioError) -> Scenario.CommandMetric.Source {
    let key = try entry["key"]?.string("key")
    if let tool = Tool(rawValue: kind) { return .benchmark(tool, file: text, name: key) }
    if kind == "file" { return .file(text, key: try entry.required("key").string("key")) }
    if key != nil { throw .content(entry.location(of: "key"), .conflictingKeys("key", kind)) }
    guard kind == "pattern" else { return .line(key: text) }
    do {
      _ = try Regex(ofUser: text)
    } catch {
      throw (entry["pattern"] ?? entry.node).fail(.badPattern(text, reason: "\(error)"))
    }
    return .pattern(text)
  }

  /// Reads the unit of a metric; the tools' times have one already.
  private static func unit(_ entry: MappingReader, isOfTool: Bool) throws(ScenarioError) -> Unit {
    guard !isOfTool else {
      if let node = entry["unit"] { throw node.fail(.unitOfTool) }
      return .nanoseconds
    }
    let node = try entry.required("unit")
    let symbol = try node.string("unit")
    guard let unit = Unit.named(symbol) else {
      throw node.fail(.unknownUnit(symbol, text: symbol))
    }
    return unit
  }

  private static func direction(_ entry: MappingReader) throws(ScenarioError) -> Direction {
    guard let node = entry["better"] else { return .lower }
    let text = try node.string("better")
    guard let direction = Direction(rawValue: text) else {
      throw node.fail(.notAChoice("better", value: text, choices: ["lower", "higher", "neutral"]))
    }
    return direction
  }
}
