internal import PerfModel

/// Converts the YAML of a scenario file to a scenario, and checks every key and every value.
///
/// Names that only the worker knows (workloads, parameters and counters) are collected with their
/// locations for `CheckedScenario`.
struct ScenarioParser {
  static let keys = [
    "scenario", "summary", "workload", "worker", "command", "parameters", "variants",
    "default_variant", "iterations", "warmup", "timeout", "profile", "pressure", "budgets", "quick",
    "gate", "controls", "case_study",
  ]

  let scenario: Scenario
  let parameters: [ParameterEntry]
  let variants: [(name: String, parameters: [ParameterEntry])]
  let quick: [ParameterEntry]
  let metrics: [MetricReference]
  let workloadLocation: SourceLocation

  init(
    _ root: YAMLNode, fileName: String, defaults: ScenarioDefaults
  ) throws(ScenarioError) {
    if case .plain("") = root.content { throw root.fail(.empty) }
    let reader = try MappingReader(root, key: "the file", owner: "the scenario", known: Self.keys)
    let name = try Self.name(reader, fileName: fileName)
    let worker = try Self.worker(reader, standard: defaults.worker)
    parameters = try Self.entries(reader, "parameters")
    variants = try Self.variants(reader)
    quick = try Self.entries(reader, "quick")
    let iterations = try reader["iterations"]?.int("iterations", in: 1...10_000) ?? 10
    let (budgets, budgetMetrics) = try Self.budgets(reader, launches: iterations)
    let ownGate = try Self.gate(reader)
    let (controls, controlMetrics) = try Self.controls(reader, gate: ownGate)
    let gate = ownGate.filled(from: defaults.gate, except: controls.metrics)
    metrics = budgetMetrics + gate.references + controlMetrics
    workloadLocation = reader["workload"]?.location ?? root.location
    let pressure = try Self.pressure(reader)
    let everywhere = parameters.map(\.name).contains(HarnessParameter.deviceBudget.rawValue)
    let inEach = variants.allSatisfy { variant in
      variant.parameters.contains { $0.name == HarnessParameter.deviceBudget.rawValue }
    }
    if !pressure.isEmpty, !everywhere, !inEach {
      throw .content(reader.location(of: "pressure"), .pressureWithoutBudget)
    }
    scenario = Scenario(
      name: name,
      summary: try reader.required("summary").string("summary"),
      workload: try Self.workload(reader, worker: worker),
      worker: worker,
      parameters: Self.parameters(parameters),
      variants: variants.map {
        Scenario.Variant(name: $0.name, parameters: Self.parameters($0.parameters))
      },
      defaultVariant: try Self.defaultVariant(reader, among: variants.map(\.name)),
      iterations: iterations,
      warmup: try reader["warmup"]?.int("warmup", in: 0...1000) ?? 1,
      timeout: try reader["timeout"]?.duration("timeout", isZeroAllowed: false) ?? 60_000_000_000,
      profileRate: try Self.profileRate(reader),
      pressure: pressure,
      budgets: budgets,
      quick: reader["quick"] == nil ? nil : Self.parameters(quick),
      gate: gate.policy,
      controls: controls,
      caseStudy: try Self.caseStudy(reader))
    let isCommand = if case .command = worker { true } else { false }
    for metric in metrics { try metric.check(in: .standard, isComplete: isCommand) }
  }

  private static func name(
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

  private static func worker(
    _ reader: MappingReader, standard: Scenario.Worker?
  ) throws(ScenarioError) -> Scenario.Worker {
    guard let command = reader["command"] else {
      if reader["worker"] == nil, let standard { return standard }
      return try program(reader.required("worker"))
    }
    for other in ["worker", "workload"] where reader[other] != nil {
      throw .content(reader.location(of: other), .conflictingKeys(other, "command"))
    }
    return .command(try command.words("command"))
  }

  /// Reads a worker: a product, or a path.
  static func program(_ node: YAMLNode) throws(ScenarioError) -> Scenario.Worker {
    let worker = try node.string("worker")
    return worker.contains("/") ? .path(worker) : .product(worker)
  }

  private static func workload(
    _ reader: MappingReader, worker: Scenario.Worker
  ) throws(ScenarioError) -> String {
    if case .command = worker { return "" }
    return try reader.required("workload").string("workload")
  }

  private static func entries(
    _ reader: MappingReader, _ key: String
  ) throws(ScenarioError) -> [ParameterEntry] {
    guard let node = reader[key] else { return [] }
    return try ParameterEntry.entries(of: node, key: key)
  }

  static func parameters(_ entries: [ParameterEntry]) -> Parameters {
    Dictionary(entries.map { ($0.name, $0.value) }) { _, later in later }
  }

  private static func variants(
    _ reader: MappingReader
  ) throws(ScenarioError) -> [(name: String, parameters: [ParameterEntry])] {
    guard let node = reader["variants"] else { return [("default", [])] }
    var result: [(name: String, parameters: [ParameterEntry])] = []
    for (name, pair) in try MappingReader.pairs(of: node, key: "variants") {
      guard isName(name) else { throw pair.key.fail(.badName(name, of: "variant")) }
      result.append((name, try ParameterEntry.entries(of: pair.value, key: name)))
    }
    guard !result.isEmpty else {
      throw node.fail(
        .wrongType("variants", expected: "a mapping of names", found: "an empty one"))
    }
    return result
  }

  private static func defaultVariant(
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

  private static func profileRate(_ reader: MappingReader) throws(ScenarioError) -> Int {
    guard let node = reader["profile"] else { return 1000 }
    let profile = try MappingReader(node, key: "profile", owner: "'profile'", known: ["rate"])
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
