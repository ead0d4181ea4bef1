public import PerfModel

/// A scenario file that is valid as far as it can be checked without its worker.
///
/// Names that only the worker knows (the workload, parameters and counters) are collected with
/// their locations. `checked(against:)` checks them.
public struct ScenarioFile: Sendable {
  /// The path as given.
  public let path: String
  /// The scenario as written; its parameters are not checked yet.
  public let scenario: Scenario
  /// The folder of the workers that `perfkit.yml` above the file builds; nil without such a file.
  public let products: String?
  let parameters: [ParameterEntry]
  let variants: [(name: String, parameters: [ParameterEntry])]
  let quick: [ParameterEntry]
  let metrics: [MetricReference]
  let workloadLocation: SourceLocation
  let expectations: [ExpectationPlace]
  let calibration: CalibrationText?

  private static let keys =
    [
      "scenario", "summary", "workload", "worker", "command", "parameters", "variants",
      "default_variant", "iterations", "warmup", "timeout", "profile", "pressure", "budgets",
      "quick", "gate", "controls", "case_study", "expects", "calibrate",
    ] + commandKeys

  /// Reads a file, with the defaults of the `perfkit.yml` above it.
  ///
  /// - Parameter path: A file in UTF-8, named like its scenario.
  /// - Throws: `ScenarioError.file` if the file cannot be read; `.content` with the location if the
  ///   file or the `perfkit.yml` is invalid.
  public init(path: String) throws(ScenarioError) {
    let text = try ScenarioText.read(path)
    try self.init(text: text, path: path, defaults: ScenarioDefaults(above: path))
  }

  /// Reads a text as the content of a file.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - path: A path for messages; its last part without `.yml` must be the scenario's name.
  /// - Throws: `ScenarioError.content`.
  public init(text: String, path: String) throws(ScenarioError) {
    try self.init(text: text, path: path, defaults: ScenarioDefaults())
  }

  /// Reads a text as the content of a file of a tree that is not checked out.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - path: The path of the file, from the root of the tree.
  ///   - read: Returns the text of another file of the tree; nil if it does not exist.
  /// - Throws: `ScenarioError.content`.
  public init(
    text: String, path: String, inTree read: (_ path: String) -> String?
  ) throws(ScenarioError) {
    var folders = path.split(separator: "/").dropLast().map { "\($0)/" }
    var paths = [folders.joined() + ProjectFile.name]
    while folders.popLast() != nil { paths.append(folders.joined() + ProjectFile.name) }
    try self.init(text: text, path: path, defaults: ScenarioDefaults(nearest: paths, read: read))
  }

  /// Checks every key and every value of a text.
  private init(text: String, path: String, defaults: ScenarioDefaults) throws(ScenarioError) {
    self.path = path
    products = defaults.products
    let root = try YAMLNode.compose(text, file: path)
    if case .plain("") = root.content { throw root.fail(.empty) }
    let reader = try MappingReader(root, key: "the file", owner: "the scenario", known: Self.keys)
    let name = try Self.name(reader, fileName: Self.stem(of: path))
    let worker = try Self.worker(reader, standard: defaults.worker)
    parameters = try Self.entries(reader, "parameters")
    variants = try Self.variants(reader)
    quick = try Self.entries(reader, "quick")
    let iterations = try reader["iterations"]?.int("iterations", in: 1...10_000) ?? 10
    let (budgets, budgetMetrics) = try Self.budgets(reader, launches: iterations)
    let ownGate = try Self.gate(reader)
    let (controls, controlMetrics) = try Self.controls(reader, gate: ownGate)
    let isCommand = if case .command = worker { true } else { false }
    // The project's metrics are those of its workers.
    let impossible = isCommand ? MetricCatalog.neverOfCommands : []
    let gate = ownGate.filled(from: defaults.gate, except: controls.metrics + impossible)
    let names = variants.map(\.name)
    let expectationMetrics: [MetricReference]
    (expectations, expectationMetrics) = try Self.expectations(reader, variants: names)
    let calibrationKeys = ["parameter", "variant", "metric", "target", "range"]
    calibration = try reader.mapping("calibrate", known: calibrationKeys)
      .map { section throws(ScenarioError) in
        try CalibrationText(section, variants: names)
      }
    metrics =
      budgetMetrics + gate.references + controlMetrics + expectationMetrics
      + [calibration?.metric].compactMap(\.self)
    workloadLocation = reader["workload"]?.location ?? root.location
    let pressure = try Self.pressure(reader)
    func hasBudget(_ entries: [ParameterEntry]) -> Bool {
      entries.contains { $0.name == HarnessParameter.deviceBudget.rawValue }
    }
    if !pressure.isEmpty, !hasBudget(parameters),
      !variants.allSatisfy({ hasBudget($0.parameters) })
    {
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
      defaultVariant: try Self.defaultVariant(reader, among: names),
      iterations: iterations,
      warmup: try reader["warmup"]?.int("warmup", in: 0...1000) ?? 1,
      timeout: try reader["timeout"]?.duration("timeout", isZeroAllowed: false) ?? 60_000_000_000,
      profileRate: try Self.profileRate(reader),
      pressure: pressure,
      budgets: budgets,
      quick: reader["quick"] == nil ? nil : Self.parameters(quick),
      gate: isCommand && budgets.isEmpty ? gate.policy.ofCommand : gate.policy,
      countsWork: gate.countsWork ?? false,
      controls: controls,
      caseStudy: try Self.caseStudy(reader),
      command: try Self.command(reader, isCommand: isCommand),
      expectations: expectations.map(\.expectation), calibration: calibration?.calibration)
    let catalog = MetricCatalog.standard.adding(scenario.command.definitions)
    for metric in metrics {
      if impossible.contains(metric.name) {
        throw .content(metric.location, .notOfCommand(metric.name))
      }
      try metric.check(in: catalog, isComplete: isCommand)
    }
  }

  /// Returns the last part of a path without its extension.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".yml", ".yaml"] where name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}
