import Foundation
import PerfTestSupport
import Testing

@testable import PerfRunner

/// Where the agent is found, and where it can be used from.
struct ProgramFinderTests {
  private func finder(in folder: TemporaryFolder) throws -> ProgramFinder {
    for name in ["libperfkit-agent.so", "libperfkit-agent-heap.so"] {
      try Data().write(to: URL(fileURLWithPath: folder(name)))
    }
    return ProgramFinder(programDirectory: folder.path, environment: [:])
  }

  @Test func `the agent beside the command is found, for the heap another one`() throws {
    let folder = try TemporaryFolder(named: "bin")
    let finder = try finder(in: folder)
    #expect(try finder.agent() == folder("libperfkit-agent.so"))
    #expect(try finder.agent(countsAllocations: true) == folder("libperfkit-agent-heap.so"))
  }

  @Test(arguments: ["my programs", "a:b"])
  func `a folder from which nothing can be preloaded is an error that says why`(
    name: String
  ) throws {
    let folder = try TemporaryFolder(named: name)
    let finder = try finder(in: folder)
    let error = try #require(throws: RunnerError.self) { try finder.agent() }
    #expect(error == .agentUnloadable(path: folder("libperfkit-agent.so")))
    #expect("\(error)".contains("in LD_PRELOAD a space or a colon ends a path"))
    // Elsewhere it can be.
    let other = try TemporaryFolder(named: "bin")
    let library = other("libperfkit-agent.so")
    try Data().write(to: URL(fileURLWithPath: library))
    let told = ProgramFinder(
      programDirectory: folder.path, environment: ["PERFKIT_AGENT": library])
    #expect(try told.agent() == library)
  }
}
