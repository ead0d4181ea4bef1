/// The parameters of one run: complete, of the declared types, inside the declared limits.
public struct ParameterValues: Equatable, Sendable {
  private let values: [String: ParameterValue]

  /// Checks values against declarations; a declared parameter without a value gets its default.
  ///
  /// - Throws: `WorkloadError.unknownParameter` for a name that is not declared,
  ///   `WorkloadError.badParameter` for a value of another type or outside of the limits.
  public init(
    _ given: [String: ParameterValue] = [:], of declarations: [ParameterDeclaration]
  ) throws(WorkloadError) {
    let known = Set(declarations.map(\.name))
    if let unknown = given.keys.sorted().first(where: { !known.contains($0) }) {
      throw .unknownParameter(name: unknown, known: declarations.map(\.name))
    }
    var values: [String: ParameterValue] = [:]
    for declaration in declarations {
      let value = given[declaration.name] ?? declaration.defaultValue
      values[declaration.name] = try declaration.checked(value)
    }
    self.values = values
  }

  /// Returns a whole number.
  ///
  /// - Throws: `WorkloadError` when no parameter of this name and type is declared.
  public func int(_ name: String) throws(WorkloadError) -> Int {
    guard case .int(let value) = try value(name) else { throw mismatch(name, "int") }
    return value
  }

  /// Returns a number.
  ///
  /// - Throws: `WorkloadError` when no parameter of this name and type is declared.
  public func double(_ name: String) throws(WorkloadError) -> Double {
    guard case .double(let value) = try value(name) else { throw mismatch(name, "double") }
    return value
  }

  /// Returns a text.
  ///
  /// - Throws: `WorkloadError` when no parameter of this name and type is declared.
  public func string(_ name: String) throws(WorkloadError) -> String {
    guard case .string(let value) = try value(name) else { throw mismatch(name, "string") }
    return value
  }

  /// Returns a truth value.
  ///
  /// - Throws: `WorkloadError` when no parameter of this name and type is declared.
  public func bool(_ name: String) throws(WorkloadError) -> Bool {
    guard case .bool(let value) = try value(name) else { throw mismatch(name, "bool") }
    return value
  }

  /// Returns a case of an enumeration by its raw value.
  ///
  /// - Throws: `WorkloadError` when no parameter of this name and type is declared, or when the
  ///   enumeration has no such case.
  public func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String, as type: Choice.Type = Choice.self
  ) throws(WorkloadError) -> Choice {
    let text = try string(name)
    guard let choice = Choice(rawValue: text) else {
      let cases = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .badParameter(name: name, value: "'\(text)'", expected: "one of \(cases)")
    }
    return choice
  }

  private func value(_ name: String) throws(WorkloadError) -> ParameterValue {
    guard let value = values[name] else {
      throw .unknownParameter(name: name, known: values.keys.sorted())
    }
    return value
  }

  private func mismatch(_ name: String, _ type: String) -> WorkloadError {
    let value = values[name].map(\.description) ?? ""
    return .badParameter(name: name, value: value, expected: "declared with type \(type)")
  }
}
