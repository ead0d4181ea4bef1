import Foundation
import Glibc
import PerfGate
import PerfModel
import PerfProfile
import PerfTestSupport
import Testing

@testable import perfkit

/// Profiles by both engines of a program whose shares are known.
struct EngineTests {
  private let perfkit: TestCommand

  /// Whether the kernel lets this user sample.
  private static let isAllowed = EventSession.obstacle() == nil

  init() throws {
    perfkit = try TestCommand()
    try perfkit.compile(program: "shares.c", "-g", "-o", "shares")
  }

  private func record(_ words: String...) throws -> CollapsedStacks {
    let result = perfkit.run(["record", "--no-report"] + words)
    #expect(result.status == .done, "\(result.errors)")
    return try LatestProfile(perfkit).stacks
  }

  private func share(of name: String, in stacks: CollapsedStacks) -> Double {
    let all = stacks.samples()
    return Double(stacks.samples { $0.contains(";\(name)") }) / Double(max(all, 1))
  }

  @Test(arguments: [SamplingEngine.signal, .perf])
  func `long system calls have their share of the time`(engine: SamplingEngine) throws {
    guard engine == .signal || Self.isAllowed else { return }
    let stacks = try record(
      "--engine", engine.rawValue, "--", perfkit.folder("shares"), "kernel", "2")
    // Half of the time by the program's own clock. Other tests run at the same time, which delays ticks. One
    // sample for each call would have a share below 5 %.
    let kernel = share(of: "call_kernel", in: stacks)
    #expect(abs(kernel - 0.5) < 0.2, "\(kernel) in call_kernel")
    let user = share(of: "work_user", in: stacks)
    #expect(abs(user - 0.5) < 0.2, "\(user) in work_user")
  }

  @Test(.enabled(if: isAllowed))
  func `the kernel samples a static program without an agent`() throws {
    try perfkit.compile(program: "shares.c", "-g", "-static", "-o", "static")
    let refused = perfkit("record", "--no-report", "--", perfkit.folder("static"), "user", "1")
    #expect(refused.status == .failed && refused.says("static"))
    let stacks = try record("--engine", "perf", "--", perfkit.folder("static"), "user", "1")
    // 1,000 samples: a standard deviation of 1.5 points.
    let most = share(of: "work_most", in: stacks)
    #expect(abs(most - 0.7) < 0.06, "\(most) in work_most")
    #expect(share(of: "main", in: stacks) > 0.95)
    let profile = try LatestProfile(perfkit)
    #expect(Double(profile.complete) > 0.99 * Double(profile.samples))
    #expect(perfkit("show", "latest").prints("the kernel's clock of each thread"))
  }

  @Test(.enabled(if: isAllowed))
  func `the kernel's functions are named below the system call`() throws {
    let stacks = try record("--engine", "perf", "--", perfkit.folder("shares"), "kernel", "1")
    guard KernelNames.areVisible else { return }
    // The kernel clears each new page (mm/memory.c).
    let inKernel = stacks.samples { $0.contains(";call_kernel") && $0.contains("fault") }
    #expect(inKernel > 100)
  }

  @Test(.enabled(if: isAllowed))
  func `children of a program are sampled by the kernel with --follow`() throws {
    let script = "./shares user 0.3; ./shares user 0.3"
    let words = ["--engine", "perf", "--", "/bin/sh", "-c", "cd \(perfkit.folder.path); \(script)"]
    let followed = perfkit.run(["record", "--no-report", "--follow"] + words)
    #expect(followed.status == .done, "\(followed.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_most") } > 200)
    let alone = perfkit.run(["record", "--no-report"] + words)
    #expect(alone.says("child processes used"), "\(alone.errors)")
  }

  @Test(.enabled(if: isAllowed))
  func `a running process is sampled until it ends, and goes on untouched`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: perfkit.folder("shares"))
    process.arguments = ["kernel", "2"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let result = perfkit("record", "--no-report", "--pid", "\(process.processIdentifier)")
    process.waitUntilExit()
    #expect(result.status == .done, "\(result.errors)")
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    let truth = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(Double(truth.dropLast()) != nil)
    let stacks = try LatestProfile(perfkit).stacks
    #expect(stacks.samples() > 500)
    #expect(abs(share(of: "work_user", in: stacks) - 0.5) < 0.1)
    #expect(share(of: "main", in: stacks) > 0.95)
  }

  @Test(.enabled(if: isAllowed))
  func `sampling of a running process ends after --duration`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: perfkit.folder("shares"))
    process.arguments = ["user", "100"]
    try process.run()
    defer { process.terminate() }
    let result = perfkit(
      "record", "--no-report", "--pid", "\(process.processIdentifier)", "--duration", "300ms")
    #expect(result.status == .done, "\(result.errors)")
    #expect(process.isRunning)
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_") } > 100)
  }

  @Test func `a process that cannot be sampled is refused with the reason`() throws {
    let own = perfkit("record", "--pid", "\(getpid())")
    #expect(own.status == .failed && (own.says("it is perfkit itself") || !Self.isAllowed))
    // The largest process id of Linux is 4,194,304.
    let none = perfkit("record", "--pid", "4194305")
    #expect(none.status == .failed && (none.says("there is no such process") || !Self.isAllowed))
    // Process 2 starts the threads of the kernel; in a container it may be any program, or none.
    let kernel = perfkit("record", "--pid", "2", "--duration", "1ms")
    #expect(kernel.status == .failed)
    for words in [
      ["--pid", "1", "--engine", "signal"], ["--pid", "1", "--allocations"],
      ["--duration", "1s", "--", "true"],
      ["--pid", "1", "--", "true"], ["--pid", "0"],
    ] { #expect(perfkit.run(["record"] + words).status == .usage, "\(words)") }
  }

  @Test func `an unknown engine and allocations by the kernel are refused`() {
    let unknown = perfkit("record", "--engine", "dtrace", "--", "/bin/true")
    #expect(
      unknown.status == .usage && unknown.says("there is no engine 'dtrace' among signal, perf"))
    let heap = perfkit("record", "--engine", "perf", "--allocations", "--", "/bin/true")
    #expect(heap.status == .usage && heap.says("--allocations needs --engine signal"))
  }
}

/// Whether the kernel shows addresses of its functions (`kernel.kptr_restrict`).
private enum KernelNames {
  static var areVisible: Bool {
    guard let file = fopen("/proc/kallsyms", "r") else { return false }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, Int32(line.count), file) != nil else { return false }
    return line.prefix(16).contains { $0 != 48 }
  }
}
