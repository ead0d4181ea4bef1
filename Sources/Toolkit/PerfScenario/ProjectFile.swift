internal import Foundation
public import PerfModel

/// What `perfkit.yml` at the root of a repository says: how a revision is built and measured.
///
///     build: [swift, build, -c, release, --product, BookWorkloads]
///     products: .build/release
///     toolchain: [swift, --version]
///     worker: BookWorkloads
///     scenarios: Scenarios
///     gate: { against: origin/main, max_time: 10 min, margin: 2%, metrics: { cpu.total: {} } }
///     controls: [palette-extract]
public struct ProjectFile: Hashable, Sendable {
  /// What a gate does when its command line does not say.
  public struct Gate: Hashable, Sendable {
    /// The revision or baseline to gate against, or nil.
    public var against: String?
    /// The scenarios that gate; empty for all.
    public var scenarios: [String] = []
    /// Nanoseconds for the whole gate, or nil.
    public var maxTime: UInt64?
    /// Whether small parameter sets are taken.
    public var isQuick = false

    /// Creates the gate of a project that says nothing of it.
    public init() {}
  }

  /// The file's name.
  public static let name = "perfkit.yml"

  /// The commands that build a tree, each a program and its arguments; run at its root, in order, by
  /// no shell.
  public let build: [[String]]
  /// The folder that the workers lie in after the build, from the tree's root.
  public let products: String
  /// A command whose output tells toolchains apart; empty for none.
  public let toolchain: [String]
  /// The worker of scenarios that name none, or nil; a path counts from the tree's root.
  public let worker: Scenario.Worker?
  /// The folder of the scenario files, from the tree's root.
  public let scenarios: String
  /// What a gate does.
  public let gate: Gate
  /// What gates in scenarios that do not say it.
  let gateText: GateText
  /// Scenarios that changes cannot reach: they are measured with every comparison of revisions.
  public let controls: [String]

  /// Creates what a Swift package does that says nothing of itself.
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
  /// - Parameter root: The tree.
  /// - Returns: What it says; the default for a Swift package without one, nil for anything else.
  /// - Throws: `ScenarioError.file` when it cannot be read, `.content` when something in it is wrong.
  public static func ofTree(_ root: String) throws(ScenarioError) -> ProjectFile? {
    guard isProject(root) else { return nil }
    let path = "\(root)/\(name)"
    guard FileManager.default.fileExists(atPath: path) else { return ProjectFile() }
    return try ProjectFile(text: ScenarioText.read(path), path: path)
  }

  /// Returns whether a tree has the file, or is a Swift package, which does without.
  public static func isProject(_ root: String) -> Bool {
    [name, "Package.swift"].contains { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
  }

  /// Returns the scenario files of the tree with this root.
  public func library(ofTree root: String) -> ScenarioLibrary {
    ScenarioLibrary(folder: "\(root)/\(scenarios)")
  }

  /// Reads a text as if it stood in a file.
  ///
  /// - Throws: `ScenarioError.content` with the place in the text.
  public init(text: String, path: String) throws(ScenarioError) {
    let root = try YAMLNode.compose(text, file: path)
    if case .plain("") = root.content { throw root.fail(.empty) }
    let reader = try MappingReader(
      root, key: "the file", owner: "the project",
      known: ["build", "products", "toolchain", "worker", "scenarios", "gate", "controls"])
    let standard = ProjectFile()
    build = try Self.commands(reader.required("build"))
    products = try reader["products"].map(Self.folder("products")) ?? standard.products
    scenarios = try reader["scenarios"].map(Self.folder("scenarios")) ?? standard.scenarios
    toolchain = try reader["toolchain"]?.words("toolchain") ?? []
    worker = try reader["worker"].map(ScenarioParser.program)
    let gate = try reader["gate"].map { node throws(ScenarioError) in
      try MappingReader(
        node, key: "gate", owner: "'gate'",
        known: ["against", "scenarios", "max_time", "quick", "margin", "metrics"])
    }
    self.gate = try gate.map(Self.gate) ?? Gate()
    gateText = try gate.map(GateText.init) ?? GateText()
    // What the harness does not know may be a counter of a worker.
    for metric in gateText.references { try metric.check(in: .standard, isComplete: false) }
    controls = try reader["controls"].map(Self.names("controls")) ?? []
  }

  /// Reads one command, or a list of them.
  private static func commands(_ node: YAMLNode) throws(ScenarioError) -> [[String]] {
    let items = try node.list("build", of: "words, or of commands")
    if case .list? = items.first?.content {
      var commands: [[String]] = []
      for item in items { commands.append(try item.words("build")) }
      return commands
    }
    return [try node.words("build")]
  }

  /// A folder of the tree, which nothing may lead out of.
  private static func folder(
    _ key: String
  ) -> (YAMLNode) throws(ScenarioError) -> String {
    { node throws(ScenarioError) in
      let path = try node.string(key)
      guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
        throw node.fail(
          .wrongType(key, expected: "a folder of the tree, from its root", found: "'\(path)'"))
      }
      return path
    }
  }

  private static func names(
    _ key: String
  ) -> (YAMLNode) throws(ScenarioError) -> [String] {
    { node throws(ScenarioError) in
      var names: [String] = []
      for item in try node.list(key, of: "names") { names.append(try item.string(key)) }
      return names
    }
  }

  private static func gate(_ reader: MappingReader) throws(ScenarioError) -> Gate {
    var gate = Gate()
    gate.against = try reader["against"]?.string("against")
    gate.scenarios = try reader["scenarios"].map(names("scenarios")) ?? []
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
