import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfRunner

/// Finding the agent libraries, and the places that they can be preloaded from.
struct ProgramFinderTests {
  private func finder(in folder: TemporaryFolder) throws -> ProgramFinder {
    for library in AgentLibrary.allCases {
      try Data().write(to: URL(fileURLWithPath: folder(library.rawValue)))
    }
    return ProgramFinder(programDirectory: folder.path, environment: [:])
  }

  @Test(arguments: [
    (false, 1000, "libperfkit-agent.so"), (false, 0, "libperfkit-agent.so"),
    (true, 0, "libperfkit-agent-counts.so"), (true, 1000, "libperfkit-agent-heap.so"),
  ])
  func `the least interposing agent library that suffices is chosen`(
    countsAllocations: Bool, rate: Int, name: String
  ) throws {
    let folder = try TemporaryFolder(named: "bin")
    let library = AgentLibrary(countsAllocations: countsAllocations, rate: rate)
    #expect(try finder(in: folder).agent(library) == folder(name))
  }

  @Test(arguments: ["my programs", "a:b"])
  func `a folder that cannot be in LD_PRELOAD throws an error with the reason`(
    name: String
  ) throws {
    let folder = try TemporaryFolder(named: name)
    let finder = try finder(in: folder)
    let error = try #require(throws: RunnerError.self) { try finder.agent(.sampling) }
    #expect(error == .agentUnloadable(.sampling, path: folder("libperfkit-agent.so")))
    #expect("\(error)".contains("in LD_PRELOAD a space or a colon ends a path"))
    // A copy elsewhere can be preloaded.
    let other = try TemporaryFolder(named: "bin")
    let library = other("libperfkit-agent.so")
    try Data().write(to: URL(fileURLWithPath: library))
    let told = ProgramFinder(
      programDirectory: folder.path, environment: ["PERFKIT_AGENT": library])
    #expect(try told.agent(.sampling) == library)
    // A library that is chosen is not replaced by another.
    let wrong = ProgramFinder(
      programDirectory: other.path, environment: ["PERFKIT_AGENT": "/none"])
    #expect(throws: RunnerError.agentNotFound(.sampling, searched: ["/none"])) {
      try wrong.agent(.sampling)
    }
  }

  @Test func `a worker is found beside the command, where the project builds it, or installed`()
    throws
  {
    let (prefix, project) = (try TemporaryFolder(), try TemporaryFolder())
    let command = try TemporaryFolder()
    for path in [command("A"), project("A"), project("B"), prefix("lib/perfkit/C")] {
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Executable.write("#!/bin/sh\n", to: path)
    }
    var finder = ProgramFinder(programDirectory: command.path, environment: [:])
    #expect(throws: RunnerError.workerNotFound(name: "B", searched: [command("B")])) {
      try finder.path(of: .product("B"), directory: "/")
    }
    finder.build = "`make` in '/project'"
    for worker in [Scenario.Worker.product("B"), .path("./B")] {
      let error = #expect(throws: RunnerError.self) {
        try finder.path(of: worker, directory: "/none")
      }
      #expect(error?.description.contains(". Build it with `make` in '/project', or ") == true)
    }
    finder.products = project.path
    #expect(try finder.path(of: .product("A"), directory: "/") == command("A"))
    #expect(try finder.path(of: .product("B"), directory: "/") == project("B"))
    let installed = ProgramFinder(programDirectory: prefix("lib"), environment: [:])
    #expect(
      try installed.path(of: .product("C"), directory: "/") == prefix("lib/perfkit/C"))
  }

  @Test func `a command is found although the folder of its scenario is missing`() throws {
    let folder = try TemporaryFolder()
    try Executable.write("#!/bin/sh\n", to: folder("program"))
    let finder = ProgramFinder(programDirectory: folder.path, environment: [:])
    let path = try finder.path(of: .command(["../program"]), directory: folder("Scenarios"))
    #expect(path == folder("program"))
  }
}
