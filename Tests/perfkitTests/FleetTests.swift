import Foundation
import PerfTestSupport
import Testing

@testable import perfkit

/// Every line of the walk-through of Fleet.md, run in order by a shell.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct FleetTests {
  @Test func `every line of the walk-through works word for word`() throws {
    let document = try #require(DocumentFile("Documentation/Fleet.md"))
    let lines = document.blocks("console").flatMap { $0.split(separator: "\n") }
      .filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    #expect(lines.count > 20)
    let postgres = try #require(TestPostgres.shared)
    let folder = try TemporaryFolder()
    let repository = try TestRepository()
    // With a wide margin, a few pairs decide that nothing changed.
    for name in ["work", "read", "sort"] {
      try repository.scenario(name, budget: "wall <= 60 s", margin: "50%")
    }
    try repository.commit("Margin")
    try repository.write("notes", "A commit that does not change the program.")
    try repository.commit("Notes")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The shell prints each line, and ends at the first one that fails.
    shell.arguments = ["-euxc", lines.joined(separator: "\n")]
    shell.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    shell.environment = postgres.variables.merging([
      "PATH": "\(TestCommand.programs):\(path)", "HOME": folder.path,
      "REPOSITORY": repository.root,
    ]) { first, _ in first }
    let output = Pipe()
    shell.standardOutput = output
    shell.standardError = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0, "\(text)")
    // The printed lines of the document are those of the commands, apart from sizes.
    for line in document.blocks("console").flatMap({ $0.split(separator: "\n") })
    where !line.hasPrefix("$ ") {
      let expected = String(line.split(separator: " (")[0])
      #expect(text.contains(expected), "\(expected): \(text)")
    }
  }
}
