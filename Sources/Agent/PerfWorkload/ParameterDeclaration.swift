/// A parameter that a workload takes, as scenario files may set it.
public struct ParameterDeclaration: Equatable, Sendable {
  /// What values it allows.
  enum Domain: Equatable, Sendable {
    case int(ClosedRange<Int>?)
    case double(ClosedRange<Double>?)
    case string(choices: [String]?)
    case bool
  }

  /// Its name in scenario files.
  public let name: String
  /// What it is for, in one sentence.
  public let summary: String
  let defaultValue: ParameterValue
  let domain: Domain

  /// Declares a whole number, limited to a range if there is one.
  public static func int(
    _ name: String, default value: Int, in range: ClosedRange<Int>? = nil, _ summary: String
  ) -> Self {
    Self(name: name, summary: summary, defaultValue: .int(value), domain: .int(range))
  }

  /// Declares a number, limited to a range if there is one.
  public static func double(
    _ name: String, default value: Double, in range: ClosedRange<Double>? = nil, _ summary: String
  ) -> Self {
    Self(name: name, summary: summary, defaultValue: .double(value), domain: .double(range))
  }

  /// Declares a text, limited to choices if there are any.
  public static func string(
    _ name: String, default value: String, choices: [String]? = nil, _ summary: String
  ) -> Self {
    Self(
      name: name, summary: summary, defaultValue: .string(value), domain: .string(choices: choices))
  }

  /// Declares a choice among the cases of an enumeration, by their raw values.
  public static func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String, default value: Choice, _ summary: String
  ) -> Self {
    string(name, default: value.rawValue, choices: Choice.allCases.map(\.rawValue), summary)
  }

  /// Declares a truth value.
  public static func bool(_ name: String, default value: Bool, _ summary: String) -> Self {
    Self(name: name, summary: summary, defaultValue: .bool(value), domain: .bool)
  }

  /// Returns a value in the declared type.
  ///
  /// - Throws: `WorkloadError.badParameter` when it is of another type or outside of what is
  ///   allowed.
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
    default: throw bad("\(value)", "of type \(typeName)")
    }
  }

  /// The name of its type in the protocol.
  var typeName: String {
    switch domain {
    case .int: "int"
    case .double: "double"
    case .string: "string"
    case .bool: "bool"
    }
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
