/// A parameter of a workload, which scenario files and `perfkit run --set` can set.
///
/// Declare a parameter as a constant, list it in the workload's `parameters`, and read its value
/// from a context:
///
///     static let count = Parameter("count", default: 100, in: 1...10_000, "Books in the library.")
///     static let parameters: [any WorkloadParameter] = [count]
///
///     init(_ context: PreparationContext) {
///       books = makeBooks(count: context[Self.count])
///     }
public struct Parameter<Value: Sendable>: WorkloadParameter {
  /// The description of the parameter that the worker sends to the harness.
  public let declaration: ParameterDeclaration
  /// Returns the typed value; nil when the value has another type.
  let convert: @Sendable (ParameterValue) -> Value?
}

extension Parameter where Value == Int {
  /// Declares a whole number.
  ///
  /// - Parameters:
  ///   - name: The name in scenario files.
  ///   - value: The value if no scenario sets the parameter.
  ///   - range: The allowed values; nil allows every value.
  ///   - summary: The meaning and the unit, in one sentence.
  public init(
    _ name: String, default value: Int, in range: ClosedRange<Int>? = nil, _ summary: String
  ) {
    declaration = ParameterDeclaration(
      name: name, summary: summary, defaultValue: .int(value), domain: .int(range))
    convert = { if case .int(let number) = $0 { number } else { nil } }
  }
}

extension Parameter where Value == Double {
  /// Declares a number.
  ///
  /// - Parameters:
  ///   - name: The name in scenario files.
  ///   - value: The finite value if no scenario sets the parameter.
  ///   - range: The allowed values; nil allows every value.
  ///   - summary: The meaning and the unit, in one sentence.
  public init(
    _ name: String, default value: Double, in range: ClosedRange<Double>? = nil, _ summary: String
  ) {
    declaration = ParameterDeclaration(
      name: name, summary: summary, defaultValue: .double(value), domain: .double(range))
    convert = { if case .double(let number) = $0 { number } else { nil } }
  }
}

extension Parameter where Value == Bool {
  /// Declares a truth value.
  ///
  /// - Parameters:
  ///   - name: The name in scenario files.
  ///   - value: The value if no scenario sets the parameter.
  ///   - summary: The meaning of true, in one sentence.
  public init(_ name: String, default value: Bool, _ summary: String) {
    declaration = ParameterDeclaration(
      name: name, summary: summary, defaultValue: .bool(value), domain: .bool)
    convert = { if case .bool(let truth) = $0 { truth } else { nil } }
  }
}

extension Parameter where Value == String {
  /// Declares a text.
  ///
  /// - Parameters:
  ///   - name: The name in scenario files.
  ///   - value: The value if no scenario sets the parameter.
  ///   - summary: The meaning, in one sentence.
  public init(_ name: String, default value: String, _ summary: String) {
    declaration = ParameterDeclaration(
      name: name, summary: summary, defaultValue: .string(value), domain: .string(choices: nil))
    convert = { if case .string(let text) = $0 { text } else { nil } }
  }
}

extension Parameter where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// Declares a choice between the cases of an enumeration, which scenario files name by their raw
  /// values.
  ///
  /// - Parameters:
  ///   - name: The name in scenario files.
  ///   - value: The case if no scenario sets the parameter.
  ///   - summary: The meaning, in one sentence.
  public init(_ name: String, default value: Value, _ summary: String) {
    declaration = ParameterDeclaration(
      name: name, summary: summary, defaultValue: .string(value.rawValue),
      domain: .string(choices: Value.allCases.map(\.rawValue)))
    convert = { if case .string(let text) = $0 { Value(rawValue: text) } else { nil } }
  }
}
