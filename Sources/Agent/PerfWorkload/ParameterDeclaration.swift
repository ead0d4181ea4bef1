/// A parameter of any type, as an element of a workload's `parameters`.
///
/// ``Parameter`` is the only conforming type.
public protocol WorkloadParameter: Sendable {
  /// The description of the parameter that the worker sends to the harness.
  var declaration: ParameterDeclaration { get }
}

/// The name, default value and allowed values of a ``Parameter``, without its type.
public struct ParameterDeclaration: Equatable, Sendable {
  /// The parameter as the worker describes it to the harness.
  let wire: Hello.Parameter

  package var name: String { wire.name }

  /// Returns a value in the declared type.
  ///
  /// - Throws: `WorkloadError.badParameter` when the value has another type or is not allowed.
  func checked(_ value: ParameterValue) throws(WorkloadError) -> ParameterValue {
    switch (wire.kind, value) {
    case (.int, .int(let number)):
      try check(Double(number), value, "a whole number")
      return value
    case (.double, .int(let number)):
      try check(Double(number), value, "a number")
      return .double(Double(number))
    case (.double, .double(let number)):
      try check(number, value, "a number")
      return value
    case (.string, .string(let text)):
      if let choices = wire.choices, !choices.contains(text) {
        throw bad("'\(text)'", "one of \(choices.joined(separator: ", "))")
      }
      return value
    case (.bool, .bool): return value
    default: throw bad("\(value)", "of type \(wire.kind.rawValue)")
    }
  }

  private func check(
    _ number: Double, _ value: ParameterValue, _ kind: String
  ) throws(WorkloadError) {
    guard let low = wire.minimum, let high = wire.maximum, !(low...high).contains(number) else {
      return
    }
    let limits = [low, high].map { "\(ParameterValue.double($0))" }
    throw bad("\(value)", "\(kind) from \(limits.joined(separator: " to "))")
  }

  private func bad(_ value: String, _ expected: String) -> WorkloadError {
    .badParameter(name: name, value: value, expected: expected)
  }
}
