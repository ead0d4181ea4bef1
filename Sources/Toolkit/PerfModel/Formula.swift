/// Arithmetic over numbers with units, and over the metrics of a launch.
public indirect enum Formula: Hashable, Sendable {
  /// What is done to two values.
  public enum Operation: Character, Hashable, Sendable, CaseIterable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
  }

  /// What is done to several values, of which there is at least one.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    case min
    case max
  }

  /// A number of base units; one without a unit has no dimension.
  public struct Value: Hashable, Sendable {
    /// In base units of the dimension.
    public let baseValue: Double
    /// What it measures; nil for a plain number, as counts and shares are.
    public let dimension: Dimension?

    /// Creates a value.
    public init(_ baseValue: Double, _ dimension: Dimension? = nil) {
      self.baseValue = baseValue
      self.dimension = dimension == .count || dimension == .ratio ? nil : dimension
    }
  }

  case number(Value)
  /// The value of a metric, by its name.
  case metric(String)
  case operation(Operation, Formula, Formula)
  case function(Function, [Formula])

  /// The names of all metrics in it, in their order, each once.
  public var metrics: [String] {
    var names: [String] = []
    for name in everyMetric where !names.contains(name) { names.append(name) }
    return names
  }

  private var everyMetric: [String] {
    switch self {
    case .number: []
    case .metric(let name): [name]
    case .operation(_, let left, let right): left.everyMetric + right.everyMetric
    case .function(_, let arguments): arguments.flatMap(\.everyMetric)
    }
  }

  /// Computes the value.
  ///
  /// - Parameter metric: Returns the value of a metric, or nil where there is none.
  /// - Returns: The value; it is finite.
  /// - Throws: `FormulaError`.
  public func value(_ metric: (String) -> Value? = { _ in nil }) throws(FormulaError) -> Value {
    let result: Value
    switch self {
    case .number(let value): result = value
    case .metric(let name):
      guard let value = metric(name) else { throw .noMetric(name) }
      result = value
    case .operation(let operation, let left, let right):
      result = try operation.apply(to: try left.value(metric), try right.value(metric))
    case .function(let function, let arguments):
      result = try function.apply(
        to: try arguments.map { argument throws(FormulaError) in try argument.value(metric) })
    }
    guard result.baseValue.isFinite else { throw .notFinite }
    return result
  }
}

/// Why a formula has no value.
public enum FormulaError: Error, Hashable, CustomStringConvertible {
  /// There is no such metric.
  case noMetric(String)
  /// Two values cannot be added, compared, multiplied or divided by each other.
  case unlike(Dimension?, Formula.Operation?, Dimension?)
  /// Division by zero, or a result that is too large.
  case notFinite

  /// What is wrong with it.
  public var description: String {
    switch self {
    case .noMetric(let name): "there is no value of '\(name)'"
    case .unlike(let left, let operation, let right):
      "\(Self.name(left)) \(operation.map { "\($0.rawValue)" } ?? "beside") \(Self.name(right)) "
        + "means nothing"
    case .notFinite: "a division by zero, or a number that is too large"
    }
  }

  private static func name(_ dimension: Dimension?) -> String {
    dimension?.rawValue ?? "a number"
  }
}

extension Formula.Operation {
  fileprivate func apply(
    to left: Formula.Value, _ right: Formula.Value
  ) throws(FormulaError) -> Formula.Value {
    let (a, b) = (left.baseValue, right.baseValue)
    switch (self, left.dimension, right.dimension) {
    case (.plus, let one, let other) where one == other: return .init(a + b, one)
    case (.minus, let one, let other) where one == other: return .init(a - b, one)
    case (.times, let one, nil): return .init(a * b, one)
    case (.times, nil, let other): return .init(a * b, other)
    case (.over, let one, nil): return .init(a / b, one)
    case (.over, let one, let other) where one == other: return .init(a / b)
    default: throw .unlike(left.dimension, self, right.dimension)
    }
  }
}

extension Formula.Function {
  fileprivate func apply(to values: [Formula.Value]) throws(FormulaError) -> Formula.Value {
    let first = values[0].dimension
    if let other = values.first(where: { $0.dimension != first }) {
      throw .unlike(first, nil, other.dimension)
    }
    let numbers = values.map(\.baseValue)
    switch self {
    case .min: return .init(numbers.reduce(.infinity, Swift.min), first)
    case .max: return .init(numbers.reduce(-.infinity, Swift.max), first)
    }
  }
}
