internal import PerfModel

/// A `--set KEY=VALUE` of the command line.
public struct ParameterOverride: Hashable, Sendable {
  /// The parameter's name.
  public let name: String
  /// The value as text; the workload's declaration determines its type.
  public let text: String

  /// Reads an argument.
  ///
  /// - Parameter argument: `KEY=VALUE`; the value may be empty and may contain further `=`.
  /// - Throws: `ScenarioError.override` if the `=` or the key is missing.
  public init(argument: String) throws(ScenarioError) {
    guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else {
      throw .override(argument, .noEqualsSign)
    }
    self.init(
      name: String(argument[..<sign]), text: String(argument[argument.index(after: sign)...]))
  }

  init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  var entry: ParameterEntry {
    let argument = "\(name)=\(text)"
    let error: @Sendable (ContentProblem) -> ScenarioError = { .override(argument, $0) }
    return ParameterEntry(
      name: name, value: YAMLNode.value(of: text), text: text, nameError: error,
      valueError: error)
  }
}
