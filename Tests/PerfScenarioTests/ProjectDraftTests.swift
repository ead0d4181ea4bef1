import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfScenario

/// The first files of projects with different build systems.
struct ProjectDraftTests {
  /// A project, and what its draft must contain.
  struct Example: Sendable, CustomTestStringConvertible {
    let files: [String: String]
    let kind: ProjectDraft.Kind
    let command: [String]?
    let products: String
    let name: String
    var testDescription: String { kind.rawValue + " " + name }
  }

  private static let examples = [
    Example(
      files: [
        "Package.swift": """
        let package = Package(
          name: "tools",
          products: [.executable(name: "word-count", targets: ["Tool"])],
          targets: [.executableTarget(name: "Tool")])
        """
      ],
      kind: .swiftPackage, command: ["./.build/release/word-count"], products: ".build/release",
      name: "word-count"),
    Example(
      files: ["Package.swift": #"Package(name: "Shelf", products: [.library(name: "Shelf")])"#],
      kind: .swiftPackage, command: nil, products: "Workloads/.build/release", name: "first"),
    Example(
      files: ["Cargo.toml": "[package]\nname = \"grep_lite\"\n", "src/main.rs": "fn main() {}"],
      kind: .cargo, command: ["./target/release/grep_lite"], products: "target/release",
      name: "grep-lite"),
    Example(
      files: [
        "Cargo.toml": "[package]\nname = \"lib\"\n[[bin]]\npath = \"a.rs\"\nname = \"tool\"\n"
      ],
      kind: .cargo, command: ["./target/release/tool"], products: "target/release", name: "tool"),
    Example(
      files: ["Cargo.toml": "[package]\nname = \"lib\"\n"],
      kind: .cargo, command: nil, products: "target/release", name: "first"),
    Example(
      files: ["CMakeLists.txt": "project(demo)\nadd_executable( Demo2 main.c )\n"],
      kind: .cmake, command: ["./build/Demo2"], products: "build", name: "demo2"),
    Example(
      files: ["Makefile": "CC ?= cc\nPROG := out/sort.bin\nall: $(PROG)\n"],
      kind: .make, command: ["./out/sort.bin"], products: ".", name: "sort"),
    Example(
      files: [
        "Makefile": "x.o: x.c\n\tcc -c -o $@ x.c\nsort: x.o\n\tcc -o $@ x.o\n"
      ],
      kind: .make, command: ["./sort"], products: ".", name: "sort"),
    Example(
      files: [
        "Makefile": "all: x.c\n\tcc -c -o x.o x.c\n\tcc -g -o bin/sort x.o -lm\n"
      ],
      kind: .make, command: ["./bin/sort"], products: ".", name: "sort"),
    Example(
      files: ["Makefile": "all:\n\tcc main.c\n"],
      kind: .make, command: nil, products: ".", name: "first"),
    Example(
      files: ["bench.py": "", "setup.py": ""],
      kind: .python, command: ["python3", "bench.py"], products: ".", name: "bench"),
    Example(
      files: ["a.py": "", "b.py": ""],
      kind: .python, command: nil, products: ".", name: "first"),
    Example(
      files: ["notes.txt": ""], kind: .other, command: nil, products: ".", name: "first"),
  ]

  private static func draft(of files: [String: String]) throws -> ProjectDraft {
    let folder = try TemporaryFolder()
    for (path, text) in files {
      let file = URL(fileURLWithPath: folder(path))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return withExtendedLifetime(folder) { ProjectDraft(of: folder.path) }
  }

  @Test(arguments: examples)
  func `the files of a project name its build, its program and its scenario`(
    example: Example
  ) throws {
    let draft = try Self.draft(of: example.files)
    #expect(draft.kind == example.kind)
    #expect(draft.command == example.command)
    #expect(draft.products == example.products)
    #expect(draft.scenarioName == example.name)
  }

  @Test(arguments: examples)
  func `the written files are valid and mean the draft`(example: Example) throws {
    let draft = try Self.draft(of: example.files)
    let project = try ProjectFile(text: draft.projectText, path: "perfkit.yml")
    #expect(project.build == (draft.build.isEmpty ? [["true"]] : draft.build))
    #expect(project.products == draft.products)
    #expect(project.toolchain == draft.toolchain)
    let scenario = try ScenarioFile(
      text: draft.scenarioText, path: "Scenarios/\(draft.scenarioName).yml"
    ).scenario
    guard case .command(let words) = scenario.worker else {
      #expect(draft.command == nil && scenario.worker == .product("Workloads"))
      return
    }
    let program = try #require(draft.command)
    #expect(words.dropFirst() == program.dropFirst())
    // The path starts from the folder of the scenario.
    #expect(words[0] == program[0].replacing("./", with: "../", maxReplacements: 1))
  }

  @Test(arguments: [
    (["Package.swift": #".executable(name: "a")"#], [".build/"]),
    (["Package.swift": #".library(name: "a")"#], [".build/", "Workloads/.build/"]),
    (["Cargo.toml": ""], ["target/"]), (["CMakeLists.txt": ""], ["build/"]), (["Makefile": ""], []),
  ])
  func `the folders of builds are ignored`(files: [String: String], lines: [String]) throws {
    #expect(try Self.draft(of: files).ignored == lines)
  }

  @Test func `words that YAML reads as something else are quoted`() throws {
    var draft = try Self.draft(of: [:])
    let words = ["bin/it", "yes", "1e3", "a: b", "it's", "#", "", "ä", "--n=3", "{x}", "null"]
    draft.command = words
    let text = draft.scenarioText
    let scenario = try ScenarioFile(text: text, path: "Scenarios/it.yml").scenario
    #expect(scenario.worker == .command(["../bin/it"] + words.dropFirst()))
  }

  @Test func `the summary of a command with special characters stays one line of text`() throws {
    var draft = try Self.draft(of: [:])
    draft.command = ["sh", "-c", "echo 'a: b' # c\nsleep 1"]
    let scenario = try ScenarioFile(
      text: draft.scenarioText, path: "Scenarios/sh.yml"
    ).scenario
    #expect(scenario.worker == .command(["sh", "-c", "echo 'a: b' # c\nsleep 1"]))
    #expect(!scenario.summary.contains("\n"))
  }
}
