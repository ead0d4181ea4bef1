internal import PerfModel

/// A parameter as written in a file or on the command line.
struct ParameterEntry {
  let name: String
  /// The value of the text without a declared type.
  let value: ParameterValue
  let text: String
  let nameError: @Sendable (ContentProblem) -> ScenarioError
  let valueError: @Sendable (ContentProblem) -> ScenarioError

  /// Reads the parameters of a mapping, and checks harness parameters.
  static func entries(of node: YAMLNode, key: String) throws(ScenarioError) -> [ParameterEntry] {
    var result: [ParameterEntry] = []
    for (name, pair) in try MappingReader.pairs(of: node, key: key) {
      node.faults.collect {
        guard let value = pair.value.value, let text = pair.value.text else {
          throw pair.value.mistyped(name, "a number, a text, true or false")
        }
        let (place, valuePlace) = (pair.key.location, pair.value.location)
        let entry = ParameterEntry(
          name: name, value: value, text: text, nameError: { .content(place, $0) },
          valueError: { .content(valuePlace, $0) })
        if let parameter = HarnessParameter(rawValue: name) {
          try entry.checkHarness(parameter)
        }
        result.append(entry)
      }
    }
    return result
  }

  func checkHarness(_ parameter: HarnessParameter) throws(ScenarioError) {
    switch parameter {
    case .pageCache:
      let choices = ["warm", "cold"]
      guard choices.contains(text) else {
        throw valueError(.notAChoice(name, value: text, choices: choices))
      }
    case .deviceBudget, .jetsamLimit: _ = try harnessSize()
    case .sampleRate: _ = try harnessRate()
    }
  }

  func harnessSize() throws(ScenarioError) -> UInt64 {
    let quantity: Quantity
    do {
      quantity = try QuantityText.parse(text, of: "'\(name)'", .size, example: "256 MB")
    } catch {
      throw valueError(error)
    }
    guard 1...1e15 ~= quantity.baseValue else {
      throw valueError(.outOfRange(name, value: "\(quantity)", range: "1 B to 1,000,000 GB"))
    }
    return UInt64(quantity.baseValue)
  }

  /// Returns samples per second; 0 for none.
  func harnessRate() throws(ScenarioError) -> Int {
    guard case .int(let rate) = value else {
      throw valueError(.wrongType(name, expected: "a whole number of Hz", found: "'\(text)'"))
    }
    guard 0...20_000 ~= rate else {
      throw valueError(.outOfRange(name, value: text, range: "0 to 20000"))
    }
    return rate
  }

  /// Returns the value with the type that the workload declares.
  ///
  /// - Throws: `wrongType`, `outOfRange` or `notAChoice`.
  func value(
    for declaration: Hello.Parameter
  ) throws(ScenarioError) -> ParameterValue {
    func mistyped(_ expected: String) -> ScenarioError {
      valueError(.wrongType(name, expected: expected, found: "'\(text)'"))
    }
    switch declaration.kind {
    case .int:
      guard case .int(let number) = value else { throw mistyped("a whole number") }
      try checkRange(Double(number), declaration)
      return value
    case .double:
      let number: Double
      switch value {
      case .int(let whole): number = Double(whole)
      case .double(let double): number = double
      default: throw mistyped("a number")
      }
      try checkRange(number, declaration)
      return .double(number)
    case .bool:
      guard case .bool = value else { throw mistyped("true or false") }
      return value
    case .string:
      if let choices = declaration.choices, !choices.contains(text) {
        throw valueError(.notAChoice(name, value: text, choices: choices))
      }
      return .string(text)
    }
  }

  private func checkRange(
    _ number: Double, _ declaration: Hello.Parameter
  ) throws(ScenarioError) {
    let (low, high) = (declaration.minimum, declaration.maximum)
    guard number < low ?? -.infinity || number > high ?? .infinity else { return }
    let range =
      switch (low, high) {
      case (let low?, let high?): "\(Self.text(low)) to \(Self.text(high))"
      case (let low?, nil): "\(Self.text(low)) or more"
      case (nil, let high?): "\(Self.text(high)) or less"
      case (nil, nil): "finite"
      }
    throw valueError(.outOfRange(name, value: text, range: range))
  }

  private static func text(_ number: Double) -> String {
    NumberFormat.significant(number, digits: 12)
  }
}
