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

  /// Returns the output of a compiler that checks a snippet against the built modules; "" for none.
  private static func errors(compiling snippet: String) throws -> String {
    let folder = try TemporaryFolder()
    try snippet.write(toFile: folder("Snippet.swift"), atomically: true, encoding: .utf8)
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let modules = (program as NSString).deletingLastPathComponent + "/Modules"
    let headers = DocumentFile.root.appendingPathComponent("Sources/Agent/CPerfFormat/include").path
    let compiler = Process()
    let pipe = Pipe()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", modules]
      + ["-I", headers, folder("Snippet.swift")]
    compiler.standardOutput = pipe
    compiler.standardError = pipe
    try compiler.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    compiler.waitUntilExit()
    return compiler.terminationStatus == 0 ? "" : String(decoding: output, as: UTF8.self) + "error:"
  }
}
