import Foundation
import Glibc
import PerfGate
import PerfModel
import PerfProfile
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Programs that a sampler can misjudge: namespaces of the loader, vfork, changes of the user, other clocks.
struct EngineCaseTests {
  private let perfkit: TestCommand

  /// Whether the kernel lets this user sample.
  private static let isAllowed = EventSession.obstacle() == nil

  init() throws { perfkit = try TestCommand() }

  private func record(
    _ engine: SamplingEngine, _ words: String..., options: [String] = []
  ) -> TestCommand.Result {
    perfkit.run(
      ["record", "--all", "--no-report", "--engine", engine.rawValue] + options + ["--"] + words)
  }

  /// Returns the seconds of threads in a state below a function, in the latest profile.
  private func time(_ state: Profile.State, below function: String) throws -> Double {
    let run = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite")).run("latest")
    let profile = try #require(run.profile)
    var isBelow: [Bool] = []
    for node in profile.nodes {
      isBelow.append(
        profile.functions[node.function].name == function
          || node.parent >= 0 && isBelow[node.parent])
    }
    return profile.counts.filter { $0.state == state && isBelow[$0.node] }
      .reduce(0) { $0 + $1.weight / 1e9 }
  }

  @Test func `a library in another namespace of the loader has names by the kernel's engine`()
    throws
  {
    try perfkit.compile(program: "another_namespace.c", "-o", "loads", "-ldl")
    try perfkit.compileLibrary("libplug.so", with: "plugged")
    let words = [perfkit.folder("loads"), perfkit.folder("libplug.so"), "plugged"]
    let bySignal = record(.signal, words[0], words[1], words[2])
    #expect(bySignal.status == .done, "\(bySignal.errors)")
    // The agent asks the loader for the libraries of its own namespace.
    #expect(bySignal.says("Use --engine perf, which sees each mapped file."), "\(bySignal.errors)")
    guard Self.isAllowed else { return }
    let result = record(.perf, words[0], words[1], words[2])
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.says("without a file and a name"))
    let stacks = try LatestProfile(perfkit).stacks
    let inLibrary = stacks.samples { $0.contains(";main;plugged ") }
    #expect(inLibrary * 10 > stacks.samples() * 8, "\(stacks.lines)")
  }

  @Test(.enabled(if: isAllowed, "the kernel does not let this user sample"))
  func `waits in vfork have their callers by the kernel's engine`() throws {
    try perfkit.compile(program: "vforks.c", "-g", "-o", "vforks")
    let result = record(.perf, perfkit.folder("vforks"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("exited with"))
    // 0.2 s of CPU time of the children, of which one wait may be lost.
    let waited = try time(.waiting, below: "start_child")
    #expect(waited >= 0.17, "\(waited) s in start_child")
  }

  @Test func `children that change their group as they begin are followed`() throws {
    try perfkit.compile(program: "changes_group.c", "-o", "changes")
    let result = record(.signal, perfkit.folder("changes"), options: ["--follow"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("exited with"))
    // Four times 0.5 s by the program's own clock. A busy machine may answer one of them too late.
    let worked = try time(.running, below: "work_in_child")
    #expect(worked > 1.1, "\(worked) s in work_in_child: \(result.errors)")
  }

  @Test func `a program with a clock of its own is sampled by the kernel's clock`() throws {
    try perfkit.compile(program: "own_clock.c", "-rdynamic", "-o", "clock")
    let result = record(.signal, perfkit.folder("clock"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.says("invalid records"), "\(result.errors)")
    let worked = try time(.running, below: "work")
    #expect(abs(worked - 0.5) < 0.15, "\(worked) s in work")
  }
}
