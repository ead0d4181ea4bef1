import Foundation
import Glibc
import PerfGate
import PerfModel
import PerfProfile
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record` of programs that forbid system calls to their threads (seccomp).
@Suite(.serialized) struct FilterTests {
  /// Whether the kernel lets this user sample.
  private static let isAllowed = EventSession.obstacle() == nil

  @Test(
    arguments: ["forks", "leaves", "leaves later", "enters", "forks between", "replaces"],
    [SamplingEngine.signal, .perf])
  func `a recorded program with a filter does the same as it does alone`(
    _ way: String, engine: SamplingEngine
  ) throws {
    guard engine == .signal || Self.isAllowed else { return }
    let perfkit = try TestCommand()
    try perfkit.compile(program: "filters.c", "-o", "filters", "-lpthread")
    let command = [
      "/bin/sh", "-c", "exec \"$0\" \"$1\" > \"$2\"", perfkit.folder("filters"), way,
    ]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = command.dropFirst() + [perfkit.folder("alone.txt")]
    try process.run()
    process.waitUntilExit()
    let alone = try String(contentsOfFile: perfkit.folder("alone.txt"), encoding: .utf8)
    try #require(alone.hasSuffix("done\n"))
    let result = perfkit.run(
      ["record", "--all", "--no-report", "--engine", engine.rawValue, "--follow", "--"] + command
        + [perfkit.folder("sampled.txt")])
    #expect(result.status == .done, "\(result.errors)")
    #expect(
      try String(contentsOfFile: perfkit.folder("sampled.txt"), encoding: .utf8) == alone,
      "\(result.errors)")
    // The agent stops sampling before a filter is installed. These ways work afterwards for at least 30
    // million cycles, which are 7 ms at 4 GHz.
    guard engine == .perf, ["forks", "leaves", "enters"].contains(way) else { return }
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples { $0.contains(";work_filtered") } > 3, "\(stacks.lines)")
  }

  @Test func `a child whose first thread was never sampled ends after the harness has ended`()
    throws
  {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "lives.c", "-o", "lives", "-lpthread")
    let path = perfkit.folder("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let result = perfkit(
      "record", "--all", "--no-report", "--follow", "--", perfkit.folder("lives"), path)
    #expect(result.status == .done, "\(result.errors)")
    // The other end is closed when the child has ended. That takes less than a minute.
    try #require(fcntl(reader, F_SETFL, 0) == 0)
    var end = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    try #require(poll(&end, 1, 60_000) == 1)
    let text = FileHandle(fileDescriptor: reader).readDataToEndOfFile()
    #expect(String(decoding: text, as: UTF8.self) == "ended")
  }
}
