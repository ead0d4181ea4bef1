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
  /// The commands of this `perfkit.yml`, which build the workers; none without such a file.
  public let build: [[String]]
  /// The folder of this `perfkit.yml`; nil without such a file.
  public let projectFolder: String?
  let parameters: [ParameterEntry]
  let variants: [NamedEntries]
  let quick: [ParameterEntry]
  let metrics: [MetricReference]
  let workloadLocation: SourceLocation
  let expectations: [ExpectationPlace]
  let calibration: CalibrationText?

  /// A variant with its parameters.
  typealias NamedEntries = (name: String, parameters: [ParameterEntry])

  private static let keys =
    [
      "scenario", "summary", "workload", "worker", "arguments", "command", "parameters", "variants",
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

  private init(text: String, path: String, defaults: ScenarioDefaults) throws(ScenarioError) {
    self = try YAMLNode.read(text, file: path) { root throws(ScenarioError) in
      try ScenarioFile(root, path: path, defaults: defaults)
    }
  }

  /// Checks every key and every value, and keeps the faults of the document.
  private init(
    _ root: YAMLNode, path: String, defaults: ScenarioDefaults
  ) throws(ScenarioError) {
    self.path = path
    (products, build, projectFolder) = (defaults.products, defaults.build, defaults.folder)
    if case .plain("") = root.content { throw root.fail(.empty) }
    let reader = try MappingReader(root, key: "the file", owner: "the scenario", known: Self.keys)
    let faults = root.faults
    let isCommand = reader["command"] != nil
    let subjects = ["command", "workload", "worker"]
    let isIdle = subjects.allSatisfy { reader[$0] == nil }
    let name = faults.collect(else: "") { try Self.name(reader, fileName: Self.stem(of: path)) }
    let summary = faults.collect(else: "") { try reader.required("summary").string("summary") }
    let worker = faults.collect(else: Scenario.Worker.command([])) {
      if isIdle { throw reader.missing(subjects, .nothingToMeasure) }
      return try Self.worker(reader, standard: defaults.worker)
    }
    let workload = faults.collect(else: "") {
      try isCommand || isIdle ? "" : reader.required("workload").string("workload")
    }
    let parameters = faults.collect(else: []) { try Self.entries(reader, "parameters") }
    let before = faults.count
    let variants = faults.collect(else: []) { try Self.variants(reader) }
    let names = faults.count == before ? variants.map(\.name) : nil
    let quick = faults.collect(else: []) { try Self.entries(reader, "quick") }
    (self.parameters, self.variants, self.quick) = (parameters, variants, quick)
    if isCommand {
      // Those of a workload are declared by its worker.
      for entry in parameters + variants.flatMap(\.parameters) + quick
      where HarnessParameter(rawValue: entry.name) == nil {
        faults.collect { _ = try entry.value(of: nil) }
      }
    }
    let iterations = faults.collect(else: Int.max) {
      try reader["iterations"]?.int("iterations", in: 1...10_000) ?? 10
    }
    let (budgets, budgetMetrics) = faults.collect(else: ([], [])) {
      try Self.budgets(reader, launches: iterations)
    }
    let ownGate = faults.collect(else: GateText()) { try Self.gate(reader) }
    let (controls, controlMetrics) = faults.collect(else: (Scenario.Controls(), [])) {
      try Self.controls(reader, gate: ownGate)
    }
    // The project's metrics are those of its workers.
    let impossible = isCommand ? MetricCatalog.neverOfCommands : []
    let gate = ownGate.filled(from: defaults.gate, except: controls.metrics + impossible)
    let contrast = Self.contrast(reader, variants: names)
    (expectations, calibration) = (contrast.expectations, contrast.calibration)
    metrics = budgetMetrics + gate.references + controlMetrics + contrast.metrics
    workloadLocation = reader["workload"]?.location ?? root.location
    let pressure = faults.collect(else: []) { try Self.pressure(reader) }
    if names != nil {
      faults.collect {
        try Self.checkBudget(of: pressure, reader, [parameters], variants.map(\.parameters))
      }
    }
    let command = faults.collect(else: Scenario.CommandSettings()) {
      try Self.command(reader, isCommand: isCommand)
    }
    // A metric of the command that has a fault is named, although it is not defined.
    let named = isCommand ? Self.commandMetricNames(reader) : nil
    scenario = Scenario(
      name: name,
      summary: summary,
      workload: workload,
      worker: worker,
      workerArguments: faults.collect(else: []) { try Self.arguments(reader) },
      parameters: Self.parameters(parameters),
      variants: variants.map {
        Scenario.Variant(name: $0.name, parameters: Self.parameters($0.parameters))
      },
      defaultVariant: contrast.defaultVariant,
      iterations: iterations,
      warmup: faults.collect(else: 1) { try reader["warmup"]?.int("warmup", in: 0...1000) ?? 1 },
      timeout: faults.collect(else: 0) {
        try reader["timeout"]?.duration("timeout", isZeroAllowed: false) ?? Scenario.usualTimeout
      },
      profileRate: faults.collect(else: 0) { try Self.profileRate(reader) },
      pressure: pressure,
      budgets: budgets,
      quick: reader["quick"] == nil ? nil : Self.parameters(quick),
      gate: isCommand && budgets.isEmpty ? gate.policy.ofCommand : gate.policy,
      countsWork: gate.countsWork ?? false,
      controls: controls,
      caseStudy: faults.collect(else: nil) { try Self.caseStudy(reader) },
      command: command,
      expectations: expectations.map(\.expectation), calibration: calibration?.calibration)
    let catalog = MetricCatalog.standard.adding(scenario.command.definitions)
    for metric in metrics {
      faults.collect {
        if impossible.contains(metric.name) {
          throw ScenarioError.content(metric.location, .notOfCommand(metric.name))
        }
        try metric.check(in: catalog, isComplete: named.map { !$0.contains(metric.name) } ?? false)
      }
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
