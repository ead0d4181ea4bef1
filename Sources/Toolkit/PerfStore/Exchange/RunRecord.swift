internal import PerfModel

/// A run in files, with everything that a baseline is compared by.
struct RunRecord: Codable, Hashable {
  /// A parameter value; exactly one property is set.
  struct Parameter: Codable, Hashable {
    var int: Int?
    var double: Double?
    var string: String?
    var bool: Bool?
  }

  struct LaunchRow: Codable, Hashable {
    let index: Int
    let isWarmup: Bool
    let status: String
    let signal: Int32?
    let message: String?
    let offset: UInt64
    let began: UInt64?
    var metrics: [String: Double]
  }

  struct Limit: Codable, Hashable {
    let metric: String
    let statistic: String
    let percentile: Double?
    let comparison: String
    let baseLimit: Double
    let unit: String
  }

  let id: String
  let scenario: String
  let variant: String
  let label: String?
  let started: Int64
  let seed: UInt64
  let parameters: [String: Parameter]
  let command: [String]
  let environment: [String: String]
  var definitions: [MetricDefinition]
  var launches: [LaunchRow]
  let budgets: [Limit]
  let warnings: [RunWarning]
  let wasInterrupted: Bool

  init(_ run: Run) {
    id = run.id
    scenario = run.scenario
    variant = run.variant
    label = run.label
    started = run.started.milliseconds
    seed = run.seed
    parameters = run.parameters.mapValues(Parameter.init)
    command = run.command
    environment = run.environment.facts
    definitions = run.definitions
    launches = run.launches.map(LaunchRow.init)
    budgets = run.budgets.map(Limit.init)
    warnings = run.warnings
    wasInterrupted = run.wasInterrupted
  }

  /// Returns the run.
  ///
  /// - Parameter allowsNaN: Whether values of metrics may be NaN.
  /// - Returns: The run, without bulky parts.
  /// - Throws: `RecordProblem` for an invalid value.
  func run(allowsNaN: Bool = false) throws(RecordProblem) -> Run {
    try Self.checkNames(
      id: id, scenario: scenario, variant: variant, label: label, started: started)
    var measured: [Launch] = []
    for row in launches { measured.append(try row.launch(of: id, allowsNaN: allowsNaN)) }
    guard Set(measured.map(\.index)).count == measured.count else {
      throw RecordProblem("run \(id) has two launches with one number")
    }
    var values: Parameters = [:]
    for (name, parameter) in parameters { values[name] = try parameter.value(name, of: id) }
    var limits: [Budget] = []
    for budget in budgets { limits.append(try budget.budget(of: id)) }
    return Run(
      id: id, scenario: scenario, variant: variant, label: label,
      started: Timestamp(milliseconds: started), seed: seed, parameters: values, command: command,
      environment: Environment(facts: environment), definitions: definitions,
      launches: measured, budgets: limits, profile: nil, warnings: warnings,
      wasInterrupted: wasInterrupted)
  }

  /// Checks the names, which may be used in references, and the time.
  static func checkNames(
    id: String, scenario: String, variant: String, label: String?, started: Int64
  ) throws(RecordProblem) {
    guard isIdentifier(id) else {
      throw RecordProblem("a run has the invalid id '\(id.prefix(40))'")
    }
    // The limit is the year 9999, so that differences of times do not overflow.
    guard (0...253_402_300_799_999).contains(started) else {
      throw RecordProblem("run \(id) has an invalid start time")
    }
    // Scenario and variant become parts of file names.
    for name in [scenario, variant] {
      let isSound = name.unicodeScalars.allSatisfy { scalar in
        scalar != "/" && !scalar.isControl
      }
      guard isSound, !name.isEmpty else {
        throw RecordProblem("run \(id) has an invalid scenario or variant name")
      }
    }
    guard let label else { return }
    do {
      try StoredName.check(label)
    } catch {
      throw RecordProblem("run \(id): \(error)")
    }
  }

  /// Returns whether a text can be an id of a run or a comparison: small letters and digits.
  static func isIdentifier(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
  }
}

/// The problem of a record, as a clause.
struct RecordProblem: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

extension RunRecord {
  /// Returns whether two records are equal; NaN equals NaN.
  func isSameMeasurement(as other: RunRecord) -> Bool {
    func comparable(_ record: RunRecord) -> RunRecord {
      var record = record
      for index in record.launches.indices {
        record.launches[index].metrics = record.launches[index].metrics.mapValues {
          $0.isNaN ? .infinity : $0
        }
      }
      return record
    }
    return comparable(self) == comparable(other)
  }
}

extension RunRecord.Parameter {
  init(_ value: ParameterValue) {
    switch value {
    case .int(let value): int = value
    case .double(let value): double = value
    case .string(let value): string = value
    case .bool(let value): bool = value
    }
  }

  func value(_ name: String, of run: String) throws(RecordProblem) -> ParameterValue {
    let values: [ParameterValue?] = [
      int.map(ParameterValue.int), double.map(ParameterValue.double),
      string.map(ParameterValue.string), bool.map(ParameterValue.bool),
    ]
    let found = values.compactMap(\.self)
    guard found.count == 1, double?.isFinite != false else {
      throw RecordProblem("parameter \(name) of run \(run) does not have exactly one value")
    }
    return found[0]
  }
}

extension RunRecord.LaunchRow {
  init(_ launch: Launch) {
    index = launch.index
    isWarmup = launch.isWarmup
    let ending = RunWriter.stored(launch.status)
    status = ending.0
    signal = ending.1
    message = ending.2
    offset = launch.offset
    began = launch.began
    metrics = launch.metrics
  }

  func launch(of run: String, allowsNaN: Bool) throws(RecordProblem) -> Launch {
    guard index >= 0,
      let status = LaunchReader.status(status, signal: signal, message: message)
    else { throw RecordProblem("launch \(index) of run \(run) has an invalid index or status") }
    let wrong = metrics.first { !$0.value.isFinite && !(allowsNaN && $0.value.isNaN) }
    if let wrong {
      throw RecordProblem("launch \(index) of run \(run) has an invalid \(wrong.key)")
    }
    return Launch(
      index: index, isWarmup: isWarmup, status: status, offset: offset, metrics: metrics,
      began: began)
  }
}

extension RunRecord.Limit {
  init(_ budget: Budget) {
    metric = budget.metric
    let kind = RunWriter.stored(budget.statistic)
    statistic = kind.0
    percentile = kind.1
    comparison = budget.comparison.rawValue
    baseLimit = budget.limit.baseValue
    unit = budget.limit.unit.symbol
  }

  func budget(of run: String) throws(RecordProblem) -> Budget {
    guard let kind = RunReader.statistic(statistic, percentile: percentile),
      let side = Budget.Comparison(rawValue: comparison), let unit = Unit.named(unit),
      baseLimit.isFinite, percentile.map({ (0...100).contains($0) }) ?? true
    else { throw RecordProblem("the budget of \(metric) of run \(run) is invalid") }
    return Budget(
      metric: metric, statistic: kind, comparison: side,
      limit: Quantity(baseValue: baseLimit, unit: unit))
  }
}
