import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Waits of Swift tasks, by `record --tasks` of a program whose waits are known.
struct TaskTests {
  private let perfkit: TestCommand

  init() throws { perfkit = try TestCommand() }

  private static let compiler = [
    "swiftc", "-O", "-parse-as-library", TestCommand.programSources + "/task_waits.swift",
    "-o", "waits",
  ]

  /// The path of the program, compiled once.
  private static let program = Result<String, any Error> {
    let folder = try TemporaryFolder.forAllTests()
    try TestCommand(in: folder).compile(by: compiler)
    return folder("waits")
  }

  /// The waits of a recorded program.
  private struct Waits {
    /// The names from the outermost function to the reason, the task's name, and nanoseconds.
    var stacks: [(names: [String], task: String, time: Double)] = []

    /// Returns the nanoseconds of the waits for a reason in a function.
    func time(_ reason: String? = nil, in function: String) -> Double {
      stacks.filter { stack in
        (reason == nil || stack.names.last == reason)
          && stack.names.contains { $0.contains(function + "(") }
      }.reduce(0) { $0 + $1.time }
    }
  }

  private func waits() throws -> Waits {
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    let profile = try #require(try store.run(id: store.resolve("latest").id).profile)
    var waits = Waits()
    for count in profile.counts where count.state == .suspended {
      var names: [String] = []
      var node = count.node
      while node >= 0 {
        names.append(profile.functions[profile.nodes[node].function].name)
        node = profile.nodes[node].parent
      }
      waits.stacks.append((names.reversed(), profile.threads[count.thread].name, count.weight))
    }
    return waits
  }

  @Test func `waits of 50, 30 and 20 % have their shares to 1.5 points`() throws {
    let clocks = perfkit.folder("clocks")
    let result = perfkit(
      "record", "--all", "--no-report", "--tasks", "--", try Self.program.get(), clocks)
    #expect(result.status == .done, "\(result.errors)")
    let waits = try waits()
    let found = ["waitForContinuation", "waitForClock", "waitForGroup"].map { waits.time(in: $0) }
    // The program's own clock, read before and after each wait.
    let truth = try String(contentsOfFile: clocks, encoding: .utf8).split(separator: " ")
      .compactMap { Double($0) }
    try #require(truth.count == 3 && !found.contains(0), "\(truth), \(waits.stacks)")
    for (found, truth) in zip(
      found.map { $0 / found.reduce(0, +) }, truth.map { $0 / truth.reduce(0, +) })
    {
      #expect(abs(found - truth) < 0.015, "\(found) instead of \(truth)")
    }
    #expect(waits.time("[continuation]", in: "waitForContinuation") > 0)
    #expect(waits.time("[sleep]", in: "waitForClock") > 0)
    #expect(waits.time("[task group]", in: "waitForGroup") > 0)
    let shown = perfkit("show", "latest")
    #expect(shown.prints("Where tasks wait") && shown.prints("waitForClock"))
    #expect(
      perfkit("flamegraph", "latest", "--state", "suspended", "--output", "waits.svg").status
        == .done)
  }

  @Test func `each wait has its reason, its maker and the name of its task`() throws {
    let result = perfkit("record", "--all", "--no-report", "--tasks", "--", try Self.program.get())
    #expect(result.status == .done, "\(result.errors)")
    let waits = try waits()
    // Each of these waits lasts for at least 20 ms: the awaited code blocks its thread for so long. The
    // thread may begin it some milliseconds before the wait.
    #expect(waits.time("[task's result]", in: "waitForResult") > 10e6, "\(waits.stacks)")
    #expect(waits.time("[async let]", in: "waitForLet") > 10e6, "\(waits.stacks)")
    #expect(waits.time("[actor]", in: "waitForActor") > 10e6, "\(waits.stacks)")
    // Two children sleep for 40 ms each, in a function that their maker does not call. A timer may start some
    // milliseconds before the wait.
    let sleeping = waits.stacks.filter { $0.names.contains { $0.contains("sleepInChild(") } }
    #expect(sleeping.reduce(0) { $0 + $1.time } > 60e6, "\(waits.stacks)")
    for stack in sleeping {
      let names = stack.names
      let made = try #require(names.firstIndex(of: "[task]"), "\(names)")
      #expect(names[..<made].contains { $0.contains("makeChildren(") }, "\(names)")
      #expect(names[made...].contains { $0.contains("sleepInChild(") }, "\(names)")
    }
    let named = waits.stacks.filter { stack in
      stack.task == "loader" && stack.names.contains { $0.contains("sleepWithName(") }
    }
    #expect(named.reduce(0) { $0 + $1.time } > 10e6, "\(waits.stacks)")
  }

  @Test func `a program that contains Swift's libraries gets advice instead of zeros`() throws {
    try perfkit.compile(by: Self.compiler + ["-static-stdlib"])
    let result = perfkit("record", "--all", "--no-report", "--tasks", "--", perfkit.folder("waits"))
    #expect(
      result.says("Link a Swift program dynamically, without -static-stdlib"), "\(result.errors)")
    #expect(!perfkit("show", "latest").prints("Where tasks wait"))
    let graph = perfkit("flamegraph", "latest", "--state", "suspended", "--output", "waits.svg")
    #expect(graph.status == .failed && graph.says("Measure it again with --tasks"))
  }

  @Test func `tasks of a running process, or without a profile, are refused`() {
    let attached = perfkit("record", "--tasks", "--pid", "1")
    #expect(
      attached.status == .usage && attached.says("nothing is preloaded into a running process"))
    for words in [["--no-profile"], ["--count"]] {
      let result = perfkit.run(["run", "--all", "--tasks"] + words + ["--", "/bin/true"])
      #expect(result.status == .usage && result.says("--tasks records stacks"), "\(result.errors)")
    }
  }
}
