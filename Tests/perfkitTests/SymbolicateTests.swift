import Foundation
import PerfGate
import PerfProfile
import Testing

@testable import perfkit

/// `perfkit symbolicate`, the child process that reads symbols.
@Suite struct SymbolicateTests {
  private static let program = "\(TestCommand.programs)/perfkit"

  /// Runs the program with a text on standard input.
  private func run(_ input: String) throws -> (status: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = ["symbolicate"]
    let (question, answer) = (Pipe(), Pipe())
    process.standardInput = question
    process.standardOutput = answer
    process.standardError = FileHandle.nullDevice
    try process.run()
    try question.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try question.fileHandleForWriting.close()
    let output = answer.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  @Test func `the verb answers a request with symbols and refuses nonsense`() throws {
    let (status, output) = try run(
      #"{"files":[{"path":"/proc/self/exe","buildID":[],"addresses":[0]}],"tools":{}}"#)
    #expect(status == 0)
    let answer = try #require(
      try JSONSerialization.jsonObject(with: output) as? [String: Any])
    #expect((answer["files"] as? [Any])?.count == 1)
    #expect(try run("nonsense").status == PerfGate.ExitStatus.failed.rawValue)
  }

  @Test func `help does not list the verb`() throws {
    let perfkit = try TestCommand()
    #expect(!perfkit("--help").output.contains("symbolicate"))
  }

  @Test func `a recorded program has names that a child process has read`() throws {
    let perfkit = try TestCommand()
    let result = perfkit(
      "record", "--all", "--no-report", "--", "/bin/sh", "-c",
      "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("cannot read the symbols"), "\(result.errors)")
    let workspace = perfkit.context(TestCommand.RecordedOutput()).workspace
    guard case .child(let child) = workspace.symbolication else {
      Issue.record("the command reads symbols itself")
      return
    }
    #expect(child.path == Self.program)
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples { $0.hasPrefix("sh;") } > 0, "\(stacks.lines)")
    // The start of each program, in the C library's symbol table or in its debug file.
    #expect(stacks.samples { $0.contains("__libc_start") } > 0, "\(stacks.lines)")
  }
}
