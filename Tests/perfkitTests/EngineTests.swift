import Foundation
import Glibc
import PerfGate
import PerfModel
import PerfProfile
import PerfStore
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
    let result = perfkit.run(["record", "--all", "--no-report"] + words)
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
    // Other tests take the CPU from the program in user code rather than in the kernel, and each tick then
    // counts its user code once more; they cannot if the program has the highest priority.
    let stacks = try record(
      "--engine", engine.rawValue, "--", "nice", "-n", "-20", perfkit.folder("shares"), "kernel",
      "2")
    let shown = perfkit("show", "latest")
    if geteuid() != 0, shown.prints("the machine was disturbed") { return }
    // Half of the time by the program's own clock. One sample for each call would have a share below 5 %.
    let tolerance = engine == .perf ? 0.1 : 0.15
    withKnownIssue("The host takes CPU time from the machine.", isIntermittent: true) {
      let kernel = share(of: "call_kernel", in: stacks)
      #expect(abs(kernel - 0.5) < tolerance, "\(kernel) in call_kernel")
      let user = share(of: "work_user", in: stacks)
      #expect(abs(user - 0.5) < tolerance, "\(user) in work_user")
    } when: {
      shown.prints("the host gave CPU time")
    }
  }

  @Test(.enabled(if: isAllowed))
  func `the kernel samples a static program without an agent`() throws {
    try perfkit.compile(program: "shares.c", "-g", "-static", "-o", "static")
    let refused = perfkit(
      "record", "--all", "--no-report", "--engine", "signal", "--", perfkit.folder("static"),
      "user", "1")
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
    func graph(_ options: String...) -> String {
      perfkit.run(["flamegraph", "latest", "--output", "-"] + options).output
    }
    #expect(graph().contains("_fault"))
    let folded = graph("--no-kernel")
    #expect(folded.contains("call_kernel") && !folded.contains("_fault"))
  }

  #if arch(x86_64)
  @Test(arguments: [SamplingEngine.signal, .perf])
  func `generated code is named by the program's map, and its callers are found`(
    engine: SamplingEngine
  ) throws {
    guard engine == .signal || Self.isAllowed else { return }
    try perfkit.compile(program: "generated.c", "-g", "-o", "generated")
    let stacks = try record("--engine", engine.rawValue, "--", perfkit.folder("generated"))
    for name in ["anonymous_code", "shared_code"] {
      // Half of the time by symmetry; 1,000 samples have a standard deviation of 1.6 points.
      let found = share(of: name, in: stacks)
      #expect(abs(found - 0.5) < 0.1, "\(found) in \(name)")
      let backwards = stacks.samples { $0.contains(";\(name);called_back") }
      #expect(backwards > 20, "\(backwards) samples of the function that \(name) calls")
    }
    #expect(share(of: "main", in: stacks) > 0.9)
    #expect(!perfkit("show", "latest").prints("without a file and a name"))
  }

  @Test(.enabled(if: isAllowed))
  func `generated code is named by the program's jitdump`() throws {
    try perfkit.compile(program: "generated.c", "-g", "-o", "generated")
    let stacks = try record(
      "--engine", "perf", "--", perfkit.folder("generated"), perfkit.folder.path)
    let files = try FileManager.default.contentsOfDirectory(atPath: perfkit.folder.path)
    #expect(files.contains { $0.hasPrefix("jit-") && $0.hasSuffix(".dump") })
    for name in ["anonymous_code", "shared_code"] {
      // Half of the time by symmetry; 1,000 samples have a standard deviation of 1.6 points.
      let found = share(of: name, in: stacks)
      #expect(abs(found - 0.5) < 0.1, "\(found) in \(name)")
    }
    #expect(share(of: "main", in: stacks) > 0.9)
    #expect(!perfkit("show", "latest").prints("without a file and a name"))
  }
  #endif

  @Test(arguments: [SamplingEngine.signal, .perf])
  func `a frame that is larger than the copy loses no callers if the program keeps frame pointers`(
    engine: SamplingEngine
  ) throws {
    guard engine == .signal || Self.isAllowed else { return }
    try perfkit.compile(
      program: "large_frame.c", "-O1", "-fno-omit-frame-pointer", "-o", "large_frame")
    let stacks = try record("--engine", engine.rawValue, "--", perfkit.folder("large_frame"))
    let (once, twice) = (share(of: "once;parse", in: stacks), share(of: "twice;parse", in: stacks))
    #expect(abs(twice - 2 / 3) < 0.1 && abs(once - 1 / 3) < 0.1, "\(once) once, \(twice) twice")
    #expect(share(of: "main", in: stacks) > 0.95)
  }

  @Test(.enabled(if: isAllowed))
  func `waits have their system call and their time by the kernel's records`() throws {
    try perfkit.compile(program: "waits.c", "-g", "-pthread", "-o", "waits")
    let result = perfkit(
      "record", "--all", "--no-report", "--engine", "perf", "--", perfkit.folder("waits"))
    #expect(result.status == .done, "\(result.errors)")
    // The program exits with 4 if a wait ended with EINTR.
    #expect(!result.errors.contains("exited with"), "\(result.errors)")
    guard KernelNames.areVisible else { return }
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    let run = try store.run(id: store.resolve("latest").id)
    let profile = try #require(run.profile)
    /// Returns the time of the waits in a system call below a function, in seconds.
    func time(in call: String, below function: String) -> Double {
      profile.counts.filter { count in
        guard count.state == .waiting else { return false }
        var names: [String] = []
        var node = count.node
        while node >= 0 {
          names.append(profile.functions[profile.nodes[node].function].name)
          node = profile.nodes[node].parent
        }
        return names.first == call && names.contains(function)
      }.reduce(0) { $0 + $1.weight / 1e9 }
    }
    // A timer never ends early: 10 naps of 50 ms and 10 waits of 25 ms, of which one may be lost.
    let (naps, polls) = (
      time(in: "[clock_nanosleep]", below: "nap"), time(in: "[poll]", below: "wait_for_nothing")
    )
    #expect(naps >= 0.44, "\(naps) s in nap")
    #expect(polls >= 0.22, "\(polls) s in poll")
    #expect(time(in: "[read]", below: "receive") >= 0.66)
    // A thread does not wait for longer than the program lasts.
    let wall = try #require(run.launches.first?.metrics[MetricName.wall]) / 1e9
    #expect(naps + polls <= wall, "\(naps + polls) s of \(wall) s")
  }

  @Test(.enabled(if: isAllowed))
  func `children of a program are sampled by the kernel with --follow`() throws {
    let script = "./shares user 0.3; ./shares user 0.3"
    let words = ["--engine", "perf", "--", "/bin/sh", "-c", "cd \(perfkit.folder.path); \(script)"]
    let followed = perfkit.run(["record", "--all", "--no-report", "--follow"] + words)
    #expect(followed.status == .done, "\(followed.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work_most") } > 200)
    let alone = perfkit.run(["record", "--all", "--no-report"] + words)
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
    let result = perfkit("record", "--all", "--no-report", "--pid", "\(process.processIdentifier)")
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
      "record", "--all", "--no-report", "--pid", "\(process.processIdentifier)", "--duration",
      "300ms")
    #expect(result.status == .done, "\(result.errors)")
    #expect(process.isRunning)
    #expect(try share(of: "work_", in: LatestProfile(perfkit).stacks) > 0.9)
  }

  @Test(.enabled(if: isAllowed && canUnshare))
  func `a process in another mount namespace has the names of its files`() throws {
    // Only the process sees the file system with its program.
    let (place, program) = (perfkit.folder("inner"), perfkit.folder("inner/hidden"))
    let script = """
      mkdir \(place) && mount -t tmpfs none \(place) && cp \(perfkit.folder("shares")) \(program) \
        && exec \(program) user 100
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["--mount", "/bin/sh", "-c", script]
    try process.run()
    defer { process.terminate() }
    let link = "/proc/\(process.processIdentifier)/exe"
    while process.isRunning,
      try FileManager.default.destinationOfSymbolicLink(atPath: link) != program
    { sched_yield() }
    let result = perfkit(
      "record", "--all", "--no-report", "--pid", "\(process.processIdentifier)", "--duration",
      "300ms")
    #expect(result.status == .done, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: program))
    let stacks = try LatestProfile(perfkit).stacks
    #expect(share(of: "work_", in: stacks) > 0.9, "\(result.errors)")
    let run = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite")).run("latest")
    let modules = try #require(run.profile).modules
    #expect(modules.contains { $0.path == program }, "\(modules)")
  }

  private static let canUnshare: Bool = {
    let process = try? Process.run(
      URL(fileURLWithPath: "/usr/bin/unshare"),
      arguments: ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
    process?.waitUntilExit()
    return process?.terminationStatus == 0
  }()

  @Test func `a process that cannot be sampled is refused with the reason`() throws {
    let own = perfkit("record", "--pid", "\(getpid())")
    #expect(own.status == .failed && (own.says("it is perfkit itself") || !Self.isAllowed))
    // The largest process id of Linux is 4,194,304.
    let none = perfkit("record", "--pid", "4194305")
    #expect(none.status == .failed && (none.says("there is no such process") || !Self.isAllowed))
    // Process 2 starts the threads of the kernel; in a container it may be any program, or none.
    let kernel = perfkit("record", "--pid", "2", "--duration", "1ms")
    #expect(kernel.status == .failed)
    if geteuid() != 0 {
      let foreign = perfkit("record", "--pid", "1", "--duration", "1ms")
      #expect(foreign.status == .failed && (foreign.says("it belongs to user") || !Self.isAllowed))
    }
    for words in [
      ["--pid", "1", "--engine", "signal"], ["--pid", "1", "--allocations"],
      ["--duration", "1s", "--", "true"],
      ["--pid", "1", "--", "true"], ["--pid", "0"],
    ] { #expect(perfkit.run(["record"] + words).status == .usage, "\(words)") }
  }

  @Test func `an unknown engine and allocations by the kernel are refused`() {
    let unknown = perfkit("record", "--engine", "dtrace", "--", "/bin/true")
    #expect(
      unknown.status == .usage
        && unknown.says("there is no engine 'dtrace' among auto, perf, signal"))
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
