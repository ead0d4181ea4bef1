/// The parameter values of a run.
///
/// They are complete: a declared parameter that the scenario does not set has its default value.
public struct ParameterValues: Equatable, Sendable {
  private let values: [String: ParameterValue]

  package init() { values = [:] }

  /// Checks values against the declared parameters and adds the default values.
  ///
  /// - Throws: `WorkloadError.unknownParameter` for a name that is not declared,
  ///   `WorkloadError.badParameter` for a value that has another type or is not allowed.
  package init(
    _ given: [String: ParameterValue] = [:], of parameters: [any WorkloadParameter]
  ) throws {
    let declarations = parameters.map(\.declaration)
    let known = Set(declarations.map(\.name))
    if let unknown = given.keys.sorted().first(where: { !known.contains($0) }) {
      throw WorkloadError.unknownParameter(name: unknown, known: declarations.map(\.name))
    }
    var values: [String: ParameterValue] = [:]
    for declaration in declarations {
      let value = given[declaration.name] ?? declaration.wire.defaultValue
      values[declaration.name] = try declaration.checked(value)
    }
    self.values = values
  }

  /// Returns the value of a parameter.
  ///
  /// - Precondition: The workload lists the parameter in its `parameters`.
  public subscript<Value>(parameter: Parameter<Value>) -> Value {
    let name = parameter.declaration.name
    guard let value = values[name] else {
      fatalError("parameter '\(name)' is not declared. Add it to the workload's 'parameters'.")
    }
    guard let typed = parameter.convert(value) else {
      fatalError("parameter '\(name)' is declared with another type. Use one declaration for both.")
    }
    return typed
  }
}
