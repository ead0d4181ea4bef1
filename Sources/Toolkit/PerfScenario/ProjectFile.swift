internal import Foundation
public import PerfModel

/// The settings of `perfkit.yml` at the root of a repository: how to build and measure a revision.
///
///     build: [swift, build, -c, release, --product, BookWorkloads]
///     products: .build/release
///     toolchain: [swift, --version]
///     worker: BookWorkloads
///     scenarios: Scenarios
///     gate: { against: origin/main, max_time: 10 min, margin: 2%, metrics: { cpu.total: {} } }
///     controls: [palette-extract]
public struct ProjectFile: Hashable, Sendable {
  /// The defaults of a gate's command line.
  public struct Gate: Hashable, Sendable {
    /// The revision or baseline to gate against, or nil.
    public var against: String?
    /// The gating scenarios; empty for all.
    public var scenarios: [String] = []
    /// The time limit of the whole gate in nanoseconds, or nil.
    public var maxTime: UInt64?
    /// Whether the small parameter sets are used.
    public var isQuick = false
  }

  /// The file's name.
  public static let name = "perfkit.yml"

  /// The commands that build a tree, each a program and its arguments.
  ///
  /// They run in order in the tree's root, without a shell.
  public let build: [[String]]
  /// The folder of the built workers, relative to the tree's root.
  public let products: String
  /// A command whose output identifies the toolchain; empty for none.
  public let toolchain: [String]
  /// The worker of scenarios without one, or nil; a path is relative to the tree's root.
  public let worker: Scenario.Worker?
  /// The folder of the scenario files, relative to the tree's root.
  public let scenarios: String
  /// The defaults of the gate.
  public let gate: Gate
  /// The gate section for scenarios without one.
  let gateText: GateText
  /// Scenarios that changes cannot reach; every comparison of revisions measures them.
  public let controls: [String]

  /// Creates the settings of a Swift package without a file.
  public init() {
    build = [["swift", "build", "-c", "release", "-Xswiftc", "-g"]]
    products = ".build/release"
    toolchain = ["swift", "--version"]
    scenarios = "Scenarios"
    worker = nil
    gate = Gate()
    gateText = GateText()
    controls = []
  }

  /// Reads the file of a tree.
  ///
  /// - Parameter root: The tree's root.
  /// - Returns: The settings; the default settings for a Swift package without a file, nil for
  ///   other trees.
  /// - Throws: `ScenarioError.file` if the file cannot be read; `.content` if it is invalid.
  public static func ofTree(_ root: String) throws(ScenarioError) -> ProjectFile? {
    guard isProject(root) else { return nil }
    let path = "\(root)/\(name)"
    guard FileManager.default.fileExists(atPath: path) else { return ProjectFile() }
    return try ProjectFile(text: ScenarioText.read(path), path: path)
  }

  /// Returns whether a tree has the file or is a Swift package, which needs none.
  public static func isProject(_ root: String) -> Bool {
    [name, "Package.swift"].contains { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
  }

  /// Returns the scenario files of the tree with a root.
  public func library(ofTree root: String) -> ScenarioLibrary {
    ScenarioLibrary(folder: "\(root)/\(scenarios)")
  }

  /// Reads a text as the content of a file.
  ///
  /// - Throws: `ScenarioError.content` with the location in the text.
  public init(text: String, path: String) throws(ScenarioError) {
    let root = try YAMLNode.compose(text, file: path)
    if case .plain("") = root.content { throw root.fail(.empty) }
    let reader = try MappingReader(
      root, key: "the file", owner: "the project",
      known: ["build", "products", "toolchain", "worker", "scenarios", "gate", "controls"])
    let standard = ProjectFile()
    build = try Self.commands(reader.required("build"))
    products = try Self.folder(reader, "products") ?? standard.products
    scenarios = try Self.folder(reader, "scenarios") ?? standard.scenarios
    toolchain = try reader["toolchain"]?.words("toolchain") ?? []
    worker = try reader["worker"].map(ScenarioFile.program)
    let gate = try reader.mapping(
      "gate", known: ["against", "scenarios", "max_time", "quick", "margin", "metrics"])
    self.gate = try gate.map(Self.gate) ?? Gate()
    gateText = try gate.map(GateText.init) ?? GateText()
    // A metric that the harness does not know may be a counter of a worker.
    for metric in gateText.references { try metric.check(in: .standard, isComplete: false) }
    controls = try reader.names("controls")
  }

  /// Reads one command, or a list of commands.
  private static func commands(_ node: YAMLNode) throws(ScenarioError) -> [[String]] {
    let items = try node.list("build", of: "words, or of commands")
    guard case .list? = items.first?.content else { return [try node.words("build")] }
    return try items.map { item throws(ScenarioError) in try item.words("build") }
  }

  /// Reads a folder inside the tree; nil if the key is absent.
  private static func folder(
    _ reader: MappingReader, _ key: String
  ) throws(ScenarioError) -> String? {
    guard let node = reader[key] else { return nil }
    let path = try node.string(key)
    guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
      throw node.fail(
        .wrongType(key, expected: "a folder of the tree, from its root", found: "'\(path)'"))
    }
    return path
  }

  private static func gate(_ reader: MappingReader) throws(ScenarioError) -> Gate {
    var gate = Gate()
    gate.against = try reader["against"]?.string("against")
    gate.scenarios = try reader.names("scenarios")
    gate.maxTime = try reader["max_time"]?.duration("max_time", isZeroAllowed: false)
    if let quick = reader["quick"] {
      guard case .bool(let isQuick)? = quick.value else {
        throw quick.mistyped("quick", "true or false")
      }
      gate.isQuick = isQuick
    }
    return gate
  }
}
