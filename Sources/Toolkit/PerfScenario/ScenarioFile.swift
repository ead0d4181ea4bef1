public import PerfModel

/// A scenario file that is valid as far as it can be checked without its worker.
///
/// `checked(against:)` completes the check with the worker's description.
public struct ScenarioFile: Sendable {
  /// The path as given.
  public let path: String
  /// The scenario as written; its parameters are not checked yet.
  public let scenario: Scenario
  let parameters: [ParameterEntry]
  let variants: [(name: String, parameters: [ParameterEntry])]
  let quick: [ParameterEntry]
  let metrics: [MetricReference]
  let workloadLocation: SourceLocation

  /// Reads a file, with the defaults of the `perfkit.yml` above it.
  ///
  /// - Parameter path: A regular file of at most 1 MiB in UTF-8, named like its scenario.
  /// - Throws: `ScenarioError.file` if the file cannot be read; `.content` with the location if the
  ///   file or the `perfkit.yml` is invalid.
  public init(path: String) throws(ScenarioError) {
    let text = try ScenarioText.read(path)
    try self.init(text: text, path: path, defaults: ScenarioDefaults(above: path))
  }

  /// Reads a text as the content of a file.
  ///
  /// - Parameters:
  ///   - text: YAML.
  ///   - path: A path for messages; its last part without `.yml` must be the scenario's name.
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

  /// Returns the last part of a path without its extension.
  static func stem(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".yml", ".yaml"] where name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}
