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
      wire: Hello.Parameter(
        name: name, kind: .int, defaultValue: .int(value), summary: summary,
        minimum: range.map { Double($0.lowerBound) }, maximum: range.map { Double($0.upperBound) }))
    convert = { if case .int(let number) = $0 { number } else { nil } }
  }
}

extension Parameter where Value == Double {
  /// Declares a number with a finite default value.
  public init(
    _ name: String, default value: Double, in range: ClosedRange<Double>? = nil, _ summary: String
  ) {
    declaration = ParameterDeclaration(
      wire: Hello.Parameter(
        name: name, kind: .double, defaultValue: .double(value), summary: summary,
        minimum: range?.lowerBound, maximum: range?.upperBound))
    convert = { if case .double(let number) = $0 { number } else { nil } }
  }
}

extension Parameter where Value == Bool {
  /// Declares a truth value; the summary is the meaning of true.
  public init(_ name: String, default value: Bool, _ summary: String) {
    declaration = ParameterDeclaration(
      wire: Hello.Parameter(
        name: name, kind: .bool, defaultValue: .bool(value), summary: summary))
    convert = { if case .bool(let truth) = $0 { truth } else { nil } }
  }
}

extension Parameter where Value == String {
  /// Declares a text.
  public init(_ name: String, default value: String, _ summary: String) {
    declaration = ParameterDeclaration(
      wire: Hello.Parameter(
        name: name, kind: .string, defaultValue: .string(value), summary: summary))
    convert = { if case .string(let text) = $0 { text } else { nil } }
  }
}

extension Parameter where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// Declares a choice between the cases of an enumeration, which scenario files name by their raw
  /// values.
  public init(_ name: String, default value: Value, _ summary: String) {
    declaration = ParameterDeclaration(
      wire: Hello.Parameter(
        name: name, kind: .string, defaultValue: .string(value.rawValue), summary: summary,
        choices: Value.allCases.map(\.rawValue)))
    convert = { if case .string(let text) = $0 { Value(rawValue: text) } else { nil } }
  }
}
