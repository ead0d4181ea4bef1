/// Arithmetic over numbers with units and over the metrics of a launch.
package indirect enum Formula: Hashable, Sendable {
  package enum Operation: Character, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
  }

  package enum Function: String, Sendable {
    case min, max
  }

  /// A number in base units, or a plain number without dimension.
  package struct Value: Hashable, Sendable {
    package let baseValue: Double
    /// The dimension; nil for plain numbers, including counts and shares.
    package let dimension: Dimension?

    package init(_ baseValue: Double, _ dimension: Dimension? = nil) {
      self.baseValue = baseValue
      self.dimension = dimension == .count || dimension == .ratio ? nil : dimension
    }
  }

  case number(Value)
  case metric(String)
  case operation(Operation, Formula, Formula)
  case function(Function, [Formula])

  /// The names of the metrics in the formula, in order of appearance, without duplicates.
  package var metrics: [String] { everyMetric.uniqued() }

  private var everyMetric: [String] {
    switch self {
    case .number: []
    case .metric(let name): [name]
    case .operation(_, let left, let right): left.everyMetric + right.everyMetric
    case .function(_, let arguments): arguments.flatMap(\.everyMetric)
    }
  }

  /// Computes the value, which is finite.
  ///
  /// - Throws: `FormulaError` if a metric has no value, dimensions do not match, or the result is not
  ///   finite.
  package func value(_ metric: (String) -> Value? = { _ in nil }) throws(FormulaError) -> Value {
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

package enum FormulaError: Error, Hashable, CustomStringConvertible {
  case noMetric(String)
  /// Two dimensions cannot be combined by an operation, or compared (operation nil).
  case mismatch(Dimension?, Formula.Operation?, Dimension?)
  /// Division by zero, or a result that is too large.
  case notFinite

  /// The reason as the end of a sentence.
  package var description: String {
    switch self {
    case .noMetric(let name): "'\(name)' has no value"
    case .mismatch(let left, let operation?, let right):
      "\(Self.name(left)) \(operation.rawValue) \(Self.name(right)) is undefined"
    case .mismatch(let left, nil, let right):
      "\(Self.name(left)) and \(Self.name(right)) cannot be compared"
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
    default: throw .mismatch(left.dimension, self, right.dimension)
    }
  }
}

extension Formula.Function {
  fileprivate func apply(to values: [Formula.Value]) throws(FormulaError) -> Formula.Value {
    let first = values[0].dimension
    if let other = values.first(where: { $0.dimension != first }) {
      throw .mismatch(first, nil, other.dimension)
    }
    let numbers = values.map(\.baseValue)
    switch self {
    case .min: return .init(numbers.reduce(.infinity, Swift.min), first)
    case .max: return .init(numbers.reduce(-.infinity, Swift.max), first)
    }
  }
}
