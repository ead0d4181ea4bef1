import Foundation
import Glibc
import PerfGate
import PerfProfile
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record --pid` of processes that have children, are in a container or outlive perfkit.
@Suite(.enabled(if: EventSession.obstacle() == nil, "the kernel does not let this user sample"))
struct AttachTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try perfkit.compile(program: "shares.c", "-g", "-o", "shares")
  }

  private func start(_ words: String...) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    try process.run()
    return process
  }

  /// Compiles and starts a program with threads, and waits until it prints that they run.
  private func startThreads(_ name: String) throws -> Process {
    try perfkit.compile(program: name + ".c", "-g", "-pthread", "-o", name)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: perfkit.folder(name))
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    try #require(!output.fileHandleForReading.availableData.isEmpty)
    return process
  }

  private func record(_ process: Int32, _ words: String...) -> TestCommand.Result {
    perfkit.run(["record", "--all", "--no-report", "--pid", "\(process)"] + words)
  }

  @Test func `children that begin later are sampled with --follow, and not without`() throws {
    // The loop ends with the first child that cannot begin.
    let process = try start(
      "/bin/sh", "-c", "while '\(perfkit.folder("shares"))' user 0.05; do :; done")
    defer { process.terminate() }
    for options in [["--follow"], []] {
      let result = perfkit.run(
        [
          "record", "--all", "--no-report", "--pid", "\(process.processIdentifier)",
          "--duration", options.isEmpty ? "600ms" : "2s",
        ] + options)
      // The shell itself may need less CPU time than one tick.
      var inChildren = 0
      if result.status == .done {
        inChildren = try LatestProfile(perfkit).stacks.samples { $0.contains(";work_") }
      }
      #expect(options.isEmpty ? inChildren == 0 : inChildren > 50, "\(result.errors)")
    }
    #expect(process.isRunning)
  }

  @Test func `Ctrl-C ends the sampling, keeps the samples and leaves the process alone`() throws {
    let process = try start(perfkit.folder("shares"), "user", "100")
    defer { process.terminate() }
    let id = process.processIdentifier
    // The process's clock in nanoseconds; it runs all of the time.
    let cpu: @Sendable () -> UInt64 = {
      let text = try? String(contentsOfFile: "/proc/\(id)/schedstat", encoding: .utf8)
      return text?.split(separator: " ").first.flatMap { UInt64($0) } ?? .max
    }
    let end = cpu() &+ 1_000_000_000
    let result = perfkit.run(
      ["record", "--all", "--no-report", "--pid", "\(id)"],
      cancellation: Cancellation { cpu() > end })
    #expect(result.status == .done, "\(result.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_") } > 100)
    #expect(process.isRunning)
  }

  @Test func `each thread of a running process is sampled, also a thread that begins later`()
    throws
  {
    let process = try startThreads("begins")
    let id = process.processIdentifier
    // The command makes the folder of the launch before it attaches, and asks for the end afterwards.
    let scratch = perfkit.folder(".perfkit/scratch")
    let result = perfkit.run(
      ["record", "--all", "--no-report", "--pid", "\(id)"],
      cancellation: Cancellation {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: scratch)) ?? []
        if paths.contains(where: { $0.contains("/launch-") }) { kill(id, SIGUSR1) }
        return false
      })
    process.waitUntilExit()
    #expect(result.status == .done, "\(result.errors)")
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    let stacks = try LatestProfile(perfkit).stacks
    for (thread, function) in [
      ("spins", "work_spinning"), ("waits", "work_waiting"), ("late", "work_late"),
    ] {
      // 0.5 s by the thread's own clock, at 1 kHz. A busy machine may lose some.
      let found = stacks.samples {
        $0.hasPrefix("\(thread);") && $0.contains(";\(function)")
      }
      #expect(found > 250 && found < 600, "\(found) in \(function): \(stacks.lines)")
    }
  }

  /// Some threads have samples before the last one is sampled.
  @Test func `threads that run when sampling begins keep their names`() throws {
    let process = try startThreads("named")
    defer { process.terminate() }
    let result = record(process.processIdentifier, "--duration", "300ms")
    #expect(result.status == .done, "\(result.errors)")
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples { $0.hasPrefix("worker;") } > 0)
    #expect(stacks.samples { !$0.hasPrefix("worker;") } == 0, "\(stacks.lines)")
  }

  @Test func `a process goes on untouched when perfkit is killed`() throws {
    let process = try start(perfkit.folder("shares"), "user", "2")
    let harness = Process()
    harness.executableURL = URL(fileURLWithPath: TestCommand.programs + "/perfkit")
    harness.currentDirectoryURL = URL(fileURLWithPath: perfkit.folder.path)
    harness.arguments = ["record", "--no-report", "--pid", "\(process.processIdentifier)"]
    harness.standardOutput = FileHandle.nullDevice
    harness.standardError = FileHandle.nullDevice
    try harness.run()
    let files = "/proc/\(harness.processIdentifier)/fd"
    let store = perfkit.folder(".perfkit/perfkit.sqlite")
    func isSampling() -> Bool {
      // The command asks the kernel for its permission before it opens the store.
      guard FileManager.default.fileExists(atPath: store) else { return false }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
      return names.contains { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\(name)")
        return target?.contains("[perf_event]") == true
      }
    }
    while harness.isRunning, !isSampling() { sched_yield() }
    kill(harness.processIdentifier, SIGKILL)
    harness.waitUntilExit()
    #expect(harness.terminationReason == .uncaughtSignal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  @Test func `a thread is refused with the id of its process`() throws {
    let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    let thread = try #require(all.first { $0 != "\(getpid())" }.flatMap { Int32($0) })
    let result = record(thread)
    #expect(result.status == .failed)
    #expect(result.says("it is a thread of process \(getpid()). Pass --pid \(getpid())"))
  }

  #if arch(x86_64)
  @Test(.enabled(if: canUnshare, "new namespaces of processes are not permitted here"))
  func `the perf map of an ended process in a container is found by its id there`() throws {
    try perfkit.compile(program: "generated.c", "-g", "-o", "generated")
    let program = perfkit.folder("generated")
    // The program has the id 1 there, which names its map.
    defer { unlink("/tmp/perf-1.map") }
    let parent = try start("/usr/bin/unshare", "--pid", "--fork", program)
    let children = "/proc/\(parent.processIdentifier)/task/\(parent.processIdentifier)/children"
    var child: Int32?
    while parent.isRunning, child == nil {
      let text = (try? String(contentsOfFile: children, encoding: .utf8)) ?? ""
      let id = text.split(separator: " ").first.flatMap { Int32($0) }
      child = id.flatMap { id in
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/exe")
        return path == program ? id : nil
      }
      sched_yield()
    }
    let result = record(try #require(child))
    parent.waitUntilExit()
    #expect(result.status == .done, "\(result.errors)")
    let stacks = try LatestProfile(perfkit).stacks
    for name in ["anonymous_code", "shared_code"] {
      // Half of the time each, in 1 s of CPU time, of which the beginning is missing.
      let found = stacks.samples { $0.contains(";\(name)") }
      #expect(found * 10 > stacks.samples() * 3, "\(found) of \(stacks.samples()) in \(name)")
    }
  }
  #endif

  private static let canUnshare: Bool = {
    let process = try? Process.run(
      URL(fileURLWithPath: "/usr/bin/unshare"), arguments: ["--pid", "--fork", "/bin/true"])
    process?.waitUntilExit()
    return process?.terminationStatus == 0
  }()
}
