import ArgumentParser
import Foundation
import PerfScenario
import PerfTestSupport
import Testing

@testable import perfkit

/// The documents name existing files, valid options and code that compiles.
struct DocumentTests {
  @Test func `the documents are found with all kinds of examples`() {
    #expect(DocumentFile.all.count > 50)
    for language in ["swift", "yaml", "sh", "console"] {
      #expect(DocumentFile.all.contains { !$0.blocks(language).isEmpty }, "no block in \(language)")
    }
  }

  @Test(arguments: DocumentFile.all)
  func `every link in a document points to a file of the repository`(document: DocumentFile) {
    let folder = DocumentFile.root.appendingPathComponent(document.path).deletingLastPathComponent()
    for link in document.links {
      let file = folder.appendingPathComponent(link).path
      #expect(FileManager.default.fileExists(atPath: file), "\(document.path) links to \(link)")
    }
  }

  @Test func `the index of decisions lists every decision, each of at most 25 lines`() throws {
    let index = try #require(DocumentFile("Documentation/Decisions/README.md"))
    let decisions = DocumentFile.all.filter { $0.path.hasPrefix("Documentation/Decisions/0") }
    let names = decisions.map { ($0.path as NSString).lastPathComponent }
    #expect(index.links.sorted() == names.sorted())
    for decision in decisions {
      let lines = decision.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(lines <= 25, "\(decision.path) has \(lines) lines")
      for part in ["**Context.**", "**Decision.**", "**Consequence.**"] {
        #expect(decision.text.contains(part), "\(decision.path) has no \(part)")
      }
    }
  }

  @Test func `git keeps every file that the list of reports names, and they exist`() throws {
    let list = try #require(DocumentFile("Reports/README.md")).text
    let rows = try #require(list.components(separatedBy: "\nRecordings in").first)
      .split(separator: "\n").filter { $0.hasPrefix("| `") }
    let names = rows.flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").filter { $0.contains(where: \.isLetter) }
    }
    #expect(names.count > 10)
    // The tests may run outside a repository.
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: DocumentFile.root.appendingPathComponent(".gitignore").path,
      toPath: folder(".gitignore"))
    let made = try Self.run("git", "-C", folder.path, "init", "--quiet")
    try #require(made.status == 0, "\(made.output)")
    for name in names {
      let path = "Reports/\(name)"
      // Git exits with 1 for a path that is not ignored.
      let (status, output) = try Self.run("git", "-C", folder.path, "check-ignore", path)
      #expect(status == 1, "\(path) is ignored: \(output)")
      #expect(
        FileManager.default.fileExists(
          atPath: DocumentFile.root.appendingPathComponent(path).path), "there is no \(path)")
    }
  }

  @Test func `the files of the reading order exist and have fewer than 300 lines`() throws {
    let map = try #require(DocumentFile("Sources/README.md"))
    let section = try #require(map.text.components(separatedBy: "\n## Reading order\n").last)
    let list = try #require(section.components(separatedBy: "\n## ").first)
    let names = list.components(separatedBy: "`").enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    #expect(names.count > 20)
    let sources = DocumentFile.root.appendingPathComponent("Sources")
    let files =
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL } ?? []
    for name in names {
      let found = files.filter { $0.lastPathComponent == name }
      #expect(found.count == 1, "\(name) exists \(found.count) times")
      for file in found {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.count { $0 == "\n" }
        #expect(lines < 300, "\(name) has \(lines) lines")
      }
    }
  }

  @Test(arguments: DocumentFile.all.filter { !$0.commandLines.isEmpty })
  func `every perfkit command line in a document is valid usage`(document: DocumentFile) {
    for line in document.commandLines {
      #expect(throws: Never.self, "\(document.path): \(line)") {
        _ = try Perfkit.parseAsRoot(Array(shellWords(line).dropFirst()))
      }
    }
  }

  @Test func `a command line with an unknown option is invalid usage`() {
    #expect(throws: (any Error).self) {
      _ = try Perfkit.parseAsRoot(shellWords("run scroll-1000 --no-such-option \"a b\""))
    }
  }

  @Test(arguments: DocumentFile.all.filter { !$0.blocks("swift").isEmpty })
  func `every Swift snippet in a document compiles`(document: DocumentFile) throws {
    for snippet in document.blocks("swift") {
      #expect(try Self.errors(compiling: snippet) == "", "\(document.path)")
    }
  }

  @Test func `a Swift snippet with an error does not compile`() throws {
    #expect(try Self.errors(compiling: "let count: Int = \"one\"\n").contains("error:"))
  }

  @Test(arguments: DocumentFile.all)
  func `every scenario file in a document is valid`(document: DocumentFile) throws {
    for block in document.blocks("yaml") where block.contains("scenario:") {
      let line = try #require(block.split(separator: "\n").first { $0.hasPrefix("scenario:") })
      let name = line.split(separator: " ")[1]
      #expect(throws: Never.self, "\(document.path): \(name)") {
        _ = try ScenarioFile(text: block, path: "\(name).yml")
      }
    }
  }

  @Test(arguments: [
    "bootstrap", "build", "build-agent", "check", "claims", "docs", "install", "package",
    "postgres", "reliability", "sanitize", "slurm", "test", "torture", "validate-exports",
  ])
  func `a script prints its help without a build`(name: String) throws {
    let script = DocumentFile.root.appendingPathComponent("Scripts/\(name)").path
    // The compiler is not on this path.
    let (status, output) = try Self.run("PATH=/usr/bin:/bin", script, "--help")
    #expect(status == 0)
    #expect(output.contains("\n  Scripts/\(name) "), "\(output)")
  }

  /// Returns the output of a compiler that checks a snippet against the built modules; "" for none.
  ///
  /// A snippet that begins with a tools version is a package manifest.
  static func errors(compiling snippet: String) throws -> String {
    let folder = try TemporaryFolder()
    try snippet.write(toFile: folder("Snippet.swift"), atomically: true, encoding: .utf8)
    var options = ["-typecheck", "-swift-version", "6"]
    if snippet.hasPrefix("// swift-tools-version") {
      let swiftc = try run("sh", "-c", "readlink -f $(command -v swiftc)").output
      let tools = URL(fileURLWithPath: swiftc.trimmingCharacters(in: .newlines))
        .deletingLastPathComponent().deletingLastPathComponent()
      let manifests = tools.appendingPathComponent("lib/swift/pm/ManifestAPI").path
      options += ["-I", manifests, "-package-description-version", "6.2"]
    } else {
      let build = TestPrograms.testFolder
      options += ["-parse-as-library", "-I", build + "/Modules"]
      options += ["-Xcc", "-fmodule-map-file=\(build)/CPerfFormat.build/module.modulemap"]
    }
    let (status, output) = try run(["swiftc"] + options + [folder("Snippet.swift")])
    return status == 0 ? "" : output + "error: exit status \(status)"
  }

  private static func run(_ words: String...) throws -> (status: Int32, output: String) {
    try run(words)
  }

  /// Runs a program of PATH and returns its exit status and everything that it printed.
  static func run(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
