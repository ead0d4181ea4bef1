import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfScenario

struct ProjectFileTests {
  private func project(_ text: String) throws -> ProjectFile {
    try ProjectFile(text: text, path: "perfkit.yml")
  }

  @Test func `a project file contains one build command or several`() throws {
    let one = try project("build: [make, work]\nproducts: out\nscenarios: perf")
    #expect(one.build == [["make", "work"]])
    #expect(one.products == "out")
    #expect(one.scenarios == "perf")
    #expect(one.toolchain == [])
    #expect(try project("build: [[a, b], [c]]").build == [["a", "b"], ["c"]])
  }

  @Test func `a project file gives the command that links with other layouts`() throws {
    let text = "build: [make]\nlink: [clang, -fuse-ld=lld, '{layout}', a.o]"
    #expect(try project(text).link == [["clang", "-fuse-ld=lld", "{layout}", "a.o"]])
    #expect(try project("build: [make]\nlink: [make, 'LD={layout}']").link.count == 1)
    #expect(try project("build: [make]").link == [])
    let error = #expect(throws: ScenarioError.self) {
      try project("build: [make]\nlink: [clang, a.o]")
    }
    #expect("\(try #require(error))".contains("{layout} for the linker's options"))
  }

  @Test func `a project file sets the target, scenarios and limits of its gate`() throws {
    let gate = try project(
      "build: [make]\ngate: { against: main, scenarios: [a, b], max_time: 10 min, quick: true }"
    ).gate
    #expect(gate.against == "main")
    #expect(gate.scenarios == ["a", "b"])
    #expect(gate.maxTime == 600_000_000_000)
    #expect(gate.isQuick)
  }

  @Test func `a project file names its control scenarios`() throws {
    #expect(try project("build: [make]\ncontrols: [a, b]").controls == ["a", "b"])
    #expect(try project("build: [make]").controls == [])
  }

  @Test func `a project file names the hub of its runs`() throws {
    let hub = "postgresql://perf@db.example.org/perfkit"
    #expect(try project("build: [make]\nhub: \(hub)").hub == hub)
    #expect(try project("build: [make]").hub == nil)
    #expect(throws: ScenarioError.self) { try project("build: [make]\nhub: [a]") }
  }

  @Test func `only a Swift package needs no project file`() throws {
    let folder = try TemporaryFolder()
    #expect(try ProjectFile.ofTree(folder.path) == nil)
    try "// swift-tools-version: 6.2".write(
      toFile: folder("Package.swift"), atomically: true, encoding: .utf8)
    #expect(
      try ProjectFile.ofTree(folder.path)?.build
        == [["swift", "build", "-c", "release", "-Xswiftc", "-g"]])
    try "build: [make]".write(toFile: folder("perfkit.yml"), atomically: true, encoding: .utf8)
    #expect(try ProjectFile.ofTree(folder.path)?.build == [["make"]])
  }

  // MARK: - What scenarios leave open

  /// Reads a scenario in the folder `perf/small` of a tree with a `perfkit.yml`.
  private func scenario(_ project: String, _ text: String) throws -> Scenario {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder("perf/small"), withIntermediateDirectories: true)
    try project.write(toFile: folder("perfkit.yml"), atomically: true, encoding: .utf8)
    let path = folder("perf/small/s.yml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try ScenarioFile(path: path).scenario
  }

  private let plain = "scenario: s\nsummary: A test.\nworkload: w\n"

  @Test(arguments: [
    ("worker: Books", "", Scenario.Worker.product("Books")),
    ("worker: bin/books", "", .path("../../bin/books")),
    ("worker: /bin/books", "", .path("/bin/books")),
    ("worker: Books", "worker: Own", .product("Own")),
    ("worker: Books", "worker: ./own", .path("./own")),
  ])
  func `a scenario without a worker uses the project's`(
    project: String, own: String, worker: Scenario.Worker
  ) throws {
    #expect(try scenario("build: [make]\n" + project, plain + own).worker == worker)
  }

  @Test func `a scenario with a command uses no worker of the project`() throws {
    let text = "scenario: s\nsummary: A test.\ncommand: [ls]\n"
    #expect(try scenario("build: [make]\nworker: Books", text).worker == .command(["ls"]))
  }

  @Test(arguments: [
    (
      "",
      Scenario.GatePolicy(
        margin: .init(relative: 0.05), metrics: ["cpu.total": nil, "wall": .init(relative: 0.1)])
    ),
    (
      "gate: { margin: 3% }",
      Scenario.GatePolicy(
        margin: .init(relative: 0.03), metrics: ["cpu.total": nil, "wall": nil])
    ),
    (
      "gate: { metrics: { wall: {}, rss.peak: {} } }",
      Scenario.GatePolicy(
        margin: .init(relative: 0.05), metrics: ["wall": .init(relative: 0.1), "rss.peak": nil])
    ),
    (
      "gate: { metrics: { wall: { margin: 4% } } }",
      Scenario.GatePolicy(
        margin: .init(relative: 0.05), metrics: ["wall": .init(relative: 0.04)])
    ),
    (
      "gate: { margin: 3%, metrics: { wall: {} } }",
      Scenario.GatePolicy(
        margin: .init(relative: 0.03), metrics: ["wall": nil])
    ),
    ("gate: { metrics: {} }", Scenario.GatePolicy(margin: .init(relative: 0.05), metrics: [:])),
    (
      "controls: { metrics: [wall] }",
      Scenario.GatePolicy(
        margin: .init(relative: 0.05), metrics: ["cpu.total": nil])
    ),
  ])
  func `gate settings that the scenario omits come from the project`(
    own: String, policy: Scenario.GatePolicy
  ) throws {
    let project =
      "build: [make]\nworker: Books\n"
      + "gate: { margin: 5%, metrics: { cpu.total: {}, wall: { margin: 10% } } }"
    #expect(try scenario(project, plain + own).gate == policy)
  }

  @Test func `an unknown metric of a project file is reported with its location`() throws {
    let project = "build: [make]\ngate: { metrics: { cpu.totl: {} } }"
    #expect {
      try scenario(project, "scenario: s\nsummary: A test.\ncommand: [ls]\n")
    } throws: { error in
      "\(error)".contains("perfkit.yml:2:") && "\(error)".contains("cpu.totl")
    }
  }

  @Test func `reading a scenario reports errors of the project file`() throws {
    #expect {
      try scenario("build: make", plain + "worker: Books")
    } throws: { error in
      "\(error)".contains("perfkit.yml:1:8: 'build' must be")
    }
  }

  @Test func `a project file above the root of the checkout is ignored`() throws {
    let folder = try TemporaryFolder()
    for path in ["tree/.git", "tree/Scenarios"] {
      try FileManager.default.createDirectory(
        atPath: folder(path), withIntermediateDirectories: true)
    }
    try "build: make".write(toFile: folder("perfkit.yml"), atomically: true, encoding: .utf8)
    let path = folder("tree/Scenarios/s.yml")
    try (plain + "worker: Own").write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try ScenarioFile(path: path).scenario.worker == .product("Own"))
  }

  @Test func `a folder belongs to the nearest project file, else to the nearest package`() throws {
    let folder = try TemporaryFolder()
    let root = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
    for path in ["apps/books/src", "tools/lint"] {
      try FileManager.default.createDirectory(
        atPath: folder(path), withIntermediateDirectories: true)
    }
    func place(_ path: String) -> String? { ProjectFile.place(of: folder(path), in: root) }
    #expect(place("apps/books") == nil)
    #expect(try ProjectFile.ofTree(root) == nil)
    for path in ["Package.swift", "tools/lint/Package.swift"] {
      try "".write(toFile: folder(path), atomically: true, encoding: .utf8)
    }
    #expect(place("apps/books/src")?.isEmpty == true)
    #expect(place("tools/lint") == "tools/lint/")
    try "build: [make]".write(
      toFile: folder("apps/books/perfkit.yml"), atomically: true, encoding: .utf8)
    #expect(place("apps/books/src") == "apps/books/")
    let project = try ProjectFile.ofTree(root, at: folder("apps/books/src"))
    #expect(project?.place == "apps/books/" && project?.build == [["make"]])
    // A project file counts more than a nearer package, which it may build.
    try "build: [make]".write(toFile: folder("perfkit.yml"), atomically: true, encoding: .utf8)
    #expect(place("tools/lint")?.isEmpty == true)
  }

  @Test func `the documented project file is valid`() throws {
    let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Workloads.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## perfkit.yml\n").last)
    let block = try #require(section.components(separatedBy: "```yaml\n").dropFirst().first)
    let example = try project(try #require(block.components(separatedBy: "```").first))
    let keys = ["build", "products", "toolchain", "worker", "scenarios", "controls", "gate"]
    #expect(keys.allSatisfy { block.contains("\($0):") })
    #expect(example.worker == .product("BookWorkloads"))
    #expect(example.gateText.metrics?.isEmpty == false)
  }

  @Test(arguments: [
    ("", "perfkit.yml:1:1: the file has no content."),
    ("{}", "perfkit.yml:1:1: the project has no key 'build'. Add 'build: ...'."),
    ("products: x", "the project has no key 'build'"),
    ("build: []", "'build' must be a program and its arguments, not an empty list"),
    ("build: make", "'build' must be a list of words, or of commands"),
    ("build: [make]\nprodukts: x", "2:1: unknown key 'produkts' in the project; did you mean"),
    ("build: [make]\nproducts: ../x", "a folder of the tree"),
    ("build: [make]\nscenarios: /x", "a folder of the tree"),
    ("build: [make]\ngate: { quick: 1 }", "'quick' must be true or false"),
    ("build: [make]\ngate: { count: 2 }", "'count' must be true or false"),
    ("build: [make]\ncontrols: a", "'controls' must be a list of names, not 'a'"),
    ("build: [make]\ngate: { max_time: 10 }", "has no unit"),
    ("build: [make]\nworker: [a]", "2:9: 'worker' must be a text"),
    ("build: [make]\ngate: { margin: 1 ms }", "2:17: "),
    ("build: [make]\ngate: { margin: -2% }", "2:17: 'margin' is"),
    ("build: [make]\ngate: { metrics: [wall] }", "2:18: 'metrics' must be a mapping"),
    ("build: [make]\ngate: { metrics: { wall: { margn: 2% } } }", "unknown key 'margn'"),
    ("build: [make]\ngate: { metrics: { wall: { margin: 2 MB } } }", "is not measured in 'MB'"),
  ])
  func `errors of a project file have a location`(text: String, message: String) {
    #expect {
      try project(text)
    } throws: { error in
      "\(error)".contains(message)
    }
  }
}
