/// A parameter of any type, as an element of a workload's `parameters`.
///
/// ``Parameter`` is the only conforming type.
public protocol WorkloadParameter: Sendable {
  /// The description of the parameter that the worker sends to the harness.
  var declaration: ParameterDeclaration { get }
}

/// The name, default value and allowed values of a ``Parameter``, without its type.
public struct ParameterDeclaration: Equatable, Sendable {
  /// The allowed values.
  enum Domain: Equatable, Sendable {
    case int(ClosedRange<Int>?)
    case double(ClosedRange<Double>?)
    case string(choices: [String]?)
    case bool
  }

  package let name: String
  let summary: String
  let defaultValue: ParameterValue
  let domain: Domain

  /// Returns a value in the declared type.
  ///
  /// - Throws: `WorkloadError.badParameter` when the value has another type or is not allowed.
  func checked(_ value: ParameterValue) throws(WorkloadError) -> ParameterValue {
    switch (domain, value) {
    case (.int(let range), .int(let number)):
      if let range, !range.contains(number) {
        throw bad("\(number)", "a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    case (.double(let range), .int(let number)):
      return .double(try checked(Double(number), range))
    case (.double(let range), .double(let number)):
      return .double(try checked(number, range))
    case (.string(let choices), .string(let text)):
      if let choices, !choices.contains(text) {
        throw bad("'\(text)'", "one of \(choices.joined(separator: ", "))")
      }
      return value
    case (.bool, .bool): return value
    default: throw bad("\(value)", "of type \(wire.kind.rawValue)")
    }
  }

  /// The parameter as the worker describes it to the harness.
  var wire: Hello.Parameter {
    switch domain {
    case .int(let range):
      wire(
        .int, minimum: range.map { Double($0.lowerBound) },
        maximum: range.map { Double($0.upperBound) })
    case .double(let range):
      wire(.double, minimum: range?.lowerBound, maximum: range?.upperBound)
    case .string(let choices): wire(.string, choices: choices)
    case .bool: wire(.bool)
    }
  }

  private func wire(
    _ kind: Hello.Parameter.Kind, choices: [String]? = nil, minimum: Double? = nil,
    maximum: Double? = nil
  ) -> Hello.Parameter {
    Hello.Parameter(
      name: name, kind: kind, defaultValue: defaultValue, summary: summary, choices: choices,
      minimum: minimum, maximum: maximum)
  }

  private func checked(
    _ number: Double, _ range: ClosedRange<Double>?
  ) throws(WorkloadError) -> Double {
    if let range, !range.contains(number) {
      throw bad("\(number)", "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func bad(_ value: String, _ expected: String) -> WorkloadError {
    .badParameter(name: name, value: value, expected: expected)
  }
}
