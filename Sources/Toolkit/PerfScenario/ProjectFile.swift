internal import Foundation
public import PerfModel

/// The settings of `perfkit.yml`: how to build and measure a revision of the project in its folder.
///
///     build: [swift, build, -c, release, --product, BookWorkloads]
///     products: .build/release
///     toolchain: [swift, --version]
///     link: [clang, -fuse-ld=lld, "{layout}", main.o, -o, tool]
///     worker: BookWorkloads
///     scenarios: Scenarios
///     gate: { against: origin/main, max_time: 10 min, margin: 2%, metrics: { cpu.total: {} } }
///     controls: [palette-extract]
///     hub: postgresql://perf@db.example.org/perfkit
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

  /// The folder of the project, from the root of the repository and with a slash at its end; empty
  /// for the root.
  public private(set) var place = ""
  /// The commands that build the project, each a program and its arguments; none for programs that
  /// need no build.
  ///
  /// They run in order in the project's folder, without a shell.
  public private(set) var build: [[String]]
  /// The commands that link the built programs anew, with `LinkCommand.layoutMark` for the linker's
  /// options; none if SwiftPM links them.
  public let link: [[String]]
  /// The folder of the built workers, relative to the project's folder.
  public let products: String
  /// A command whose output identifies the toolchain; empty for none.
  public private(set) var toolchain: [String]
  /// The worker of scenarios without one, or nil; a path is relative to the project's folder.
  public let worker: Scenario.Worker?
  /// The folder of the scenario files, relative to the project's folder.
  public let scenarios: String
  /// The defaults of the gate.
  public let gate: Gate
  /// The gate section for scenarios without one.
  let gateText: GateText
  /// Scenarios that changes cannot reach; every comparison of revisions measures them.
  public let controls: [String]
  /// The address of the hub that receives finished runs, unchecked; nil for none.
  public let hub: String?

  /// Creates the settings of a Swift package without a file.
  public init() {
    build = [["swift", "build", "-c", "release", "-Xswiftc", "-g"]]
    products = ".build/release"
    link = []
    toolchain = ["swift", "--version"]
    scenarios = "Scenarios"
    worker = nil
    gate = Gate()
    gateText = GateText()
    controls = []
    hub = nil
  }

  /// Creates the settings of a package that no file describes.
  ///
  /// - Parameters:
  ///   - place: The folder of the package, from the root and with a slash at its end.
  ///   - build: The commands that build it.
  public init(at place: String, build: [[String]]) {
    self.init()
    (self.place, self.build) = (place, build)
  }

  /// Returns the settings of a command without a project, which is not built.
  public static func withoutBuild() -> ProjectFile {
    var project = ProjectFile()
    (project.build, project.toolchain) = ([], [])
    return project
  }

  /// Reads the file of the project that contains a folder of a tree.
  ///
  /// - Parameters:
  ///   - root: The tree's root.
  ///   - folder: A folder of the tree; nil for the root.
  /// - Returns: The settings; the default settings for a Swift package without a file, nil for
  ///   other trees.
  /// - Throws: `ScenarioError.file` if the file cannot be read; `.content` if it is invalid.
  public static func ofTree(
    _ root: String, at folder: String? = nil
  ) throws(ScenarioError) -> ProjectFile? {
    guard let place = place(of: folder ?? root, in: root) else { return nil }
    let path = "\(root)/\(place)\(name)"
    var project =
      try FileManager.default.fileExists(atPath: path)
      ? ProjectFile(text: ScenarioText.read(path), path: path) : ProjectFile()
    project.place = place
    return project
  }

  /// Returns the place of the project that contains a folder of a tree.
  ///
  /// - Returns: The nearest place above the folder with a `perfkit.yml`, else with a Swift package,
  ///   which needs no file; nil if there is none.
  public static func place(of folder: String, in root: String) -> String? {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    var places = [""]
    if path.hasPrefix(root + "/") {
      for part in path.dropFirst(root.count + 1).split(separator: "/") {
        places.append("\(places[places.count - 1])\(part)/")
      }
    }
    for file in [name, "Package.swift"] {
      let place = places.last { FileManager.default.fileExists(atPath: "\(root)/\($0)\(file)") }
      if let place { return place }
    }
    return nil
  }

  /// Returns the nearest folder above another one with a `perfkit.yml`, up to the root of its checkout.
  ///
  /// - Parameter folder: The absolute path of the folder.
  /// - Returns: The path; nil if there is none, or if the folder itself has the file.
  static func folder(above folder: String) -> String? {
    let nearest = folders(from: folder).first {
      FileManager.default.fileExists(atPath: "\($0)/\(name)")
    }
    return nearest == folder ? nil : nearest
  }

  /// Returns a folder and those above it, up to the root of its checkout or of the file system.
  ///
  /// - Parameter folder: The absolute path of the folder; there is none above a relative one.
  /// - Returns: The paths, the nearest first.
  static func folders(from folder: String) -> [String] {
    guard folder.hasPrefix("/") else { return [] }
    var paths = [folder]
    while let last = paths.last, last != "/",
      !FileManager.default.fileExists(atPath: "\(last)/.git")
    {
      paths.append((last as NSString).deletingLastPathComponent)
    }
    return paths
  }

  /// Reads a text as the content of a file.
  ///
  /// - Throws: `ScenarioError.content` with the location in the text, or `.several`.
  public init(text: String, path: String) throws(ScenarioError) {
    self = try YAMLNode.read(text, file: path) { root throws(ScenarioError) in
      try ProjectFile(root)
    }
  }

  private init(_ root: YAMLNode) throws(ScenarioError) {
    if case .plain("") = root.content { throw root.fail(.empty) }
    let reader = try MappingReader(
      root, key: "the file", owner: "the project",
      known: [
        "build", "link", "products", "toolchain", "worker", "scenarios", "gate", "controls", "hub",
      ])
    let (standard, faults) = (ProjectFile(), root.faults)
    build = faults.collect(else: []) { try Self.commands(reader.required("build"), "build") }
    link = faults.collect(else: []) { try reader["link"].map(Self.links) ?? [] }
    products = faults.collect(else: "") {
      try Self.folder(reader, "products") ?? standard.products
    }
    scenarios = faults.collect(else: "") {
      try Self.folder(reader, "scenarios") ?? standard.scenarios
    }
    toolchain = faults.collect(else: []) { try reader["toolchain"]?.words("toolchain") ?? [] }
    worker = faults.collect(else: nil) { try reader["worker"].map(ScenarioFile.program) }
    let gate = faults.collect(else: nil) {
      try reader.mapping(
        "gate",
        known: ["against", "scenarios", "max_time", "quick", "margin", "metrics", "count"])
    }
    self.gate = gate.map(Self.gate) ?? Gate()
    gateText = faults.collect(else: GateText()) { try gate.map(GateText.init) ?? GateText() }
    // A metric that the harness does not know may be a counter of a worker.
    for metric in gateText.references {
      faults.collect { try metric.check(in: .standard, isComplete: false) }
    }
    controls = faults.collect(else: []) { try reader.names("controls") }
    hub = faults.collect(else: nil) { try reader["hub"]?.string("hub") }
  }

  /// Reads one command, or a list of commands.
  private static func commands(
    _ node: YAMLNode, _ key: String
  ) throws(ScenarioError) -> [[String]] {
    let items = try node.list(key, of: "words, or of commands")
    guard case .list? = items.first?.content else { return [try node.words(key)] }
    return try items.map { item throws(ScenarioError) in try item.words(key) }
  }

  /// Reads the commands that link the programs; one of them must pass the layout to the linker.
  private static func links(_ node: YAMLNode) throws(ScenarioError) -> [[String]] {
    let commands = try commands(node, "link")
    let mark = LinkCommand.layoutMark
    guard commands.contains(where: { $0.contains { $0.contains(mark) } }) else {
      throw node.fail(
        .wrongType(
          "link", expected: "a command with \(mark) for the linker's options",
          found: "none"))
    }
    return commands
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

  private static func gate(_ reader: MappingReader) -> Gate {
    var gate = Gate()
    let faults = reader.node.faults
    gate.against = faults.collect(else: nil) { try reader["against"]?.string("against") }
    gate.scenarios = faults.collect(else: []) { try reader.names("scenarios") }
    gate.maxTime = faults.collect(else: nil) {
      try reader["max_time"]?.duration("max_time", isZeroAllowed: false)
    }
    gate.isQuick = faults.collect(else: false) { try reader["quick"]?.bool("quick") ?? false }
    return gate
  }
}
