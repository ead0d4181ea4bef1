public import PerfModel

/// A scenario file that was read and found right, as far as that can be said without its worker.
///
/// The second step is `checked(against:)`, with what the worker says of itself.
public struct ScenarioFile: Sendable {
  /// The path as it was given.
  public let path: String
  /// The scenario as it is written; its parameters are not yet known to exist.
  public let scenario: Scenario
  let parameters: [ParameterEntry]
  let variants: [(name: String, parameters: [ParameterEntry])]
  let quick: [ParameterEntry]
  let metrics: [MetricReference]
  let workloadLocation: SourceLocation

  /// Reads a file; what it leaves open the `perfkit.yml` of its tree says.
  ///
  /// - Parameter path: A regular file of at most 1 MiB, in UTF-8, named like its scenario.
  /// - Throws: `ScenarioError.file` when it cannot be read, `.content` with file, line and column
  ///   when something in it, or in the `perfkit.yml`, is wrong.
  public init(path: String) throws(ScenarioError) {
    let text = try ScenarioText.read(path)
    try self.init(text: text, path: path, defaults: ScenarioDefaults(above: path))
  }

  /// Reads a text as if it stood in a file.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - path: For messages; its last part without `.yml` must be the scenario's name.
  /// - Throws: `ScenarioError.content`.
  public init(text: String, path: String) throws(ScenarioError) {
    try self.init(text: text, path: path, defaults: ScenarioDefaults())
  }

  init(text: String, path: String, defaults: ScenarioDefaults) throws(ScenarioError) {
    let root = try YAMLNode.compose(text, file: path)
    let parser = try ScenarioParser(root, fileName: Self.stem(of: path), defaults: defaults)
    self.path = path
    scenario = parser.scenario
    parameters = parser.parameters
    variants = parser.variants
    quick = parser.quick
    metrics = parser.metrics
    workloadLocation = parser.workloadLocation
  }

  /// Returns the last part of a path without its ending.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".yml", ".yaml"] where name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}
