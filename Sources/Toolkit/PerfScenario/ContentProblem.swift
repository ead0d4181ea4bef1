public import PerfModel

/// A problem at a location of a scenario file, or in a `--set`.
public enum ContentProblem: Hashable, Sendable, CustomStringConvertible {
  // MARK: YAML
  case notYAML(String)
  case empty
  case alias
  case duplicateKey(String)
  // MARK: Keys and types
  case unknownKey(String, of: String, known: [String])
  case missingKey(String, of: String)
  case missingName(fileName: String)
  case nothingToMeasure
  case conflictingKeys(String, String)
  case wrongType(String, expected: String, found: String)
  case outOfRange(String, value: String, range: String)
  case badName(String, of: String)
  case nameIsNotFileName(String, fileName: String)
  // MARK: Units
  case noNumber(String, example: String)
  case noUnit(String, example: String)
  case unknownUnit(String, text: String)
  case wrongUnit(String, of: String, expected: [String])
  // MARK: Budgets, gates, pressure
  case badBudget(String, reason: String)
  case unknownStatistic(String)
  case unknownMetric(String, known: [String])
  case tooFewLaunches(Budget, launches: Int)
  case neutralMetric(String)
  case absoluteMargin(String)
  case gatingControl(String)
  case pressureWithoutBudget
  case pressureOrder
  // MARK: Variants and parameters
  case unknownDefaultVariant(String, known: [String])
  case unknownWorkload(String, suite: String, known: [String])
  case unknownParameter(String, workload: String, known: [String])
  case commandParameter(String)
  case notAChoice(String, value: String, choices: [String])
  case noEqualsSign
  // MARK: Commands
  case needsCommand(String)
  case notOfCommand(String)
  case standardMetric(String)
  case noSource(String, choices: [String])
  case badPattern(String, reason: String)
  case unitOfTool
  case discardedMetrics
  /// A problem of another kind of file, with its message.
  case other(String)

  /// The problem and the correction.
  public var description: String {
    switch self {
    case .notYAML(let reason): "this is not YAML: \(reason)."
    case .empty: "the file has no content. A scenario begins with 'scenario: NAME'."
    case .alias: "YAML anchors and aliases (&name, *name) are not allowed. Write the value out."
    case .duplicateKey(let key): "the key '\(key)' is given twice. Remove one."
    case .unknownKey(let key, let owner, let known):
      "unknown key '\(key)' in \(owner)" + hint(for: key, among: known, "Keys")
    case .missingKey(let key, let owner): "\(owner) has no key '\(key)'. Add '\(key): ...'."
    case .missingName(let fileName):
      "the scenario has no name. Add 'scenario: \(fileName)' (the file's name without .yml)."
    case .nothingToMeasure:
      "the scenario has nothing to measure. Add 'command: [PROGRAM, ARGUMENT]', or 'workload' and "
        + "'worker'."
    case .conflictingKeys(let first, let second):
      "'\(first)' and '\(second)' exclude each other. Remove one."
    case .wrongType(let key, let expected, let found): "'\(key)' must be \(expected), not \(found)."
    case .outOfRange(let key, let value, let range):
      "'\(key)' is \(value), but must be \(range)."
    case .badName(let name, let owner):
      "'\(name)' cannot be the name of a \(owner). Use letters, digits, '-', '_' and single dots; "
        + "begin with a letter or digit."
    case .nameIsNotFileName(let name, let fileName):
      "the scenario's name is '\(name)', but its file's name is '\(fileName)'. Use the same name."
    case .noNumber(let text, let example):
      "'\(text)' does not begin with a number. Write it like '\(example)'."
    case .noUnit(let text, let example): "'\(text)' has no unit. Write it like '\(example)'."
    case .unknownUnit(let unit, let text):
      "unknown unit '\(unit)' in '\(text)'"
        + hint(for: unit, among: Unit.all.map(\.symbol), "Units")
    case .wrongUnit(let unit, let owner, let expected):
      "\(owner) is not measured in '\(unit)'. Units: \(expected.joined(separator: ", "))."
    case .badBudget(let text, let reason):
      "budget '\(text)' \(reason). Write it like 'max(frame.overrun.p99) <= 0 ms'."
    case .unknownStatistic(let name):
      "unknown statistic '\(name)'"
        + hint(for: name, among: ["min", "mean", "max", "p50", "p95", "p99"], "Statistics")
    case .unknownMetric(let name, let known):
      "unknown metric '\(name)'"
        + (NearestName.nearest(to: name, among: known).map { "; did you mean '\($0)'?" }
          ?? ". 'perfkit list metrics' lists all metrics.")
    case .tooFewLaunches(let budget, let launches):
      "\(budget.statistic) needs at least \(budget.statistic.launchesNeeded) launches, but "
        + "'iterations' is \(launches). Write '\(budget.statistic.extreme)(\(budget.metric))', or "
        + "'iterations: \(budget.statistic.launchesNeeded)'."
    case .neutralMetric(let name):
      "'\(name)' has no better direction, so it can neither gate nor be a control. Remove it."
    case .gatingControl(let name):
      "'\(name)' gates, so it cannot be a control as well. Remove it from one of the two."
    case .absoluteMargin(let text):
      "'\(text)' cannot be the margin of every metric, because metrics have different units. "
        + "Write a percentage like '2%', or set the margin of a metric under 'metrics'."
    case .pressureWithoutBudget:
      "'pressure' needs a 'device_budget' among the parameters. Add one like "
        + "'device_budget: 256 MB'."
    case .pressureOrder:
      "this pressure step begins before the previous step ends. Increase its 'at'."
    case .unknownDefaultVariant(let name, let known):
      "unknown variant '\(name)'" + hint(for: name, among: known, "Variants")
    case .unknownWorkload(let name, let suite, let known):
      "\(suite) has no workload '\(name)'" + hint(for: name, among: known, "Workloads")
    case .unknownParameter(let name, let workload, let known):
      "workload '\(workload)' has no parameter '\(name)'"
        + hint(for: name, among: known, "Parameters")
    case .commandParameter(let name):
      "a command has no parameter '\(name)', only "
        + HarnessParameter.allCases.map(\.rawValue).joined(separator: ", ")
        + ". Put the command's arguments into 'command'."
    case .notAChoice(let name, let value, let choices):
      "'\(name)' cannot be '\(value)'" + hint(for: value, among: choices, "Choices")
    case .noEqualsSign: "the '=' is missing. Write it like 'books=200'."
    case .needsCommand(let key):
      "'\(key)' applies to a 'command' only. Remove it, or measure a command instead of a worker."
    case .notOfCommand(let name):
      "a command never has '\(name)', which is read inside a worker. Remove it, or use wall, "
        + "cpu.total, rss.peak or one of the command's 'metrics'."
    case .standardMetric(let name):
      "'\(name)' is a metric of PerfKit. Use another name for the command's metric."
    case .noSource(let name, let choices):
      "metric '\(name)' has no source. Add one of: \(choices.joined(separator: ", "))."
    case .badPattern(let text, let reason):
      "'\(text)' is no regular expression: \(reason). Write it like 'parsed in ([0-9.]+) ms'."
    case .unitOfTool: "the tool's file contains the unit. Remove 'unit'."
    case .discardedMetrics:
      "'output' discards the output that 'metrics' reads. Remove it, or write 'output: keep'."
    case .other(let text): text
    }
  }
}

extension Unit {
  static func symbols(of dimension: Dimension) -> [String] {
    all.filter { $0.dimension == dimension }.map(\.symbol)
  }
}

extension MetricDefinition {
  /// Returns the problem of a unit that does not fit the metric's values, or nil.
  package func problem(with unit: Unit) -> ContentProblem? {
    unit.dimension == dimension
      ? nil : .wrongUnit(unit.symbol, of: name, expected: Unit.symbols(of: dimension))
  }
}
