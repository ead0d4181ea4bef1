import CLinux
import CPerfFormat
import Glibc
import PerfModel
import PerfTestSupport
import Synchronization
import Testing

@testable import PerfProfile

/// The agent and the program that it samples, each built once per run of the tests.
enum AgentUnderTest {
  /// The result of a run.
  struct Outcome {
    /// The wait status of the program.
    let status: Int32
    let records: SegmentRecords

    /// Whether the program returned from main with 0.
    var isSuccess: Bool { status == 0 }
  }

  /// Runs a subcommand of the program with the agent and a segment.
  ///
  /// - Parameters:
  ///   - command: A subcommand of `Programs/main.c`.
  ///   - configuration: The segment's configuration.
  ///   - word: A second word of the command line.
  ///   - change: Changes the segment's header before the program starts.
  /// - Returns: The program's wait status and its records.
  /// - Throws: If the agent or the program cannot be built or started, or if a record is malformed.
  static func run(
    _ command: String, _ configuration: CaptureConfiguration = .tests,
    word: String? = nil, change: (UnsafeMutablePointer<perfkit_segment>) -> Void = { _ in }
  ) throws -> Outcome {
    let built = try built.get()
    let segment = try CaptureSegment(configuration)
    let header = segment.ring(0).withMemoryRebound(to: UInt8.self, capacity: 1) {
      UnsafeMutableRawPointer($0 - segment.layout.ringsOffset)
        .assumingMemoryBound(to: perfkit_segment.self)
    }
    change(header)
    let status = try spawn(
      [built.program, command] + [word].compactMap(\.self),
      environment: ["LD_PRELOAD=\(built.agent)", "\(CaptureSegment.descriptorVariable)=200"],
      descriptor: segment.descriptor)
    return Outcome(status: status, records: try SegmentRecords(segment, header))
  }

  /// Runs a subcommand with the agent and a segment that is drained meanwhile.
  ///
  /// If allocations are counted, the agent is the library that interposes the heap.
  ///
  /// - Parameters:
  /// - command: A subcommand of `Programs/main.c`.
  /// - configuration: The segment's configuration.
  /// - library: A library that is preloaded after the agent.
  /// - isDrainedMeanwhile: False if the rings have room for all records, and the test must use no
  ///   CPU.
  /// - Returns: The program's wait status, and the drained capture.
  /// - Throws: If the agent or the program cannot be built or started.
  static func runDrained(
    _ command: String, _ configuration: CaptureConfiguration = .tests, with library: String? = nil,
    isDrainedMeanwhile: Bool = true
  ) throws -> (status: Int32, capture: Capture) {
    let built = try built.get()
    let segment = try CaptureSegment(configuration)
    let drain = SegmentDrain(segment)
    let preloaded = [try agent(configuration), library].compactMap(\.self)
    let status = try spawn(
      [built.program, command],
      environment: [
        "LD_PRELOAD=\(preloaded.joined(separator: ":"))",
        "\(CaptureSegment.descriptorVariable)=200",
      ],
      descriptor: segment.descriptor, meanwhile: isDrainedMeanwhile ? drain.drain : nil)
    return (status, drain.finish())
  }

  /// Runs a subcommand that must succeed, and returns the profile of all its samples and its capture.
  ///
  /// The parameters are those of `runDrained`.
  ///
  /// - Throws: If the agent or the program cannot be built or started.
  static func profile(
    of command: String, _ configuration: CaptureConfiguration = .tests,
    isDrainedMeanwhile: Bool = true
  ) throws -> (profile: Profile, capture: Capture) {
    let (status, capture) = try runDrained(
      command, configuration, isDrainedMeanwhile: isDrainedMeanwhile)
    #expect(status == 0)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    return (builder.finish(), capture)
  }

  /// Returns the agent's library: for allocations the one that interposes the heap.
  static func agent(_ configuration: CaptureConfiguration) throws -> String {
    let built = try built.get()
    guard let interval = configuration.allocationInterval else { return built.agent }
    let name = interval == 0 ? "counts" : "heap"
    return "\(built.folder)/libperfkit-agent-\(name)\(suffix).so"
  }

  /// Runs a subcommand with the agent, but without a segment.
  ///
  /// - Parameters:
  ///   - command: A subcommand of `Programs/main.c`.
  ///   - variable: The value of PERFKIT_SEGMENT_FD.
  ///   - follow: The value of PERFKIT_FOLLOW.
  /// - Returns: The program's wait status.
  /// - Throws: If the agent or the program cannot be built or started.
  static func runWithoutSegment(
    _ command: String, variable: String? = nil, follow: String? = nil
  ) throws -> Int32 {
    let built = try built.get()
    var variables = variable.map { ["\(CaptureSegment.descriptorVariable)=\($0)"] } ?? []
    if let follow { variables.append("PERFKIT_FOLLOW=\(follow)") }
    return try spawn(
      [built.program, command], environment: ["LD_PRELOAD=\(built.agent)"] + variables)
  }

  /// Runs a subcommand that gets its segment from a socket, as its children do.
  ///
  /// - Parameters:
  ///   - command: A subcommand of `Programs/main.c`.
  ///   - configuration: The segments' configuration.
  ///   - processes: The number of processes that get a segment.
  /// - Returns: The program's wait status, and the audit of each process.
  /// - Throws: If the agent or the program cannot be built or started.
  static func runFollowed(
    _ command: String, _ configuration: CaptureConfiguration, processes: Int
  ) throws -> (status: Int32, audits: [AgentAudit]) {
    let address = "perfkit-follows-\(getpid())-\(command)"
    let listener = clinux_listen(address)
    try #require(listener >= 0)
    defer { close(listener) }
    // Created first: a process waits for 0.1 s only.
    let segments = try (0..<processes).map { _ in try CaptureSegment(configuration) }
    for segment in segments { segment.setSampling(true) }
    var given = 0
    let built = try built.get()
    let status = try spawn(
      [built.program, command],
      environment: ["LD_PRELOAD=\(built.agent)", "PERFKIT_FOLLOW=\(address)"],
      meanwhile: {
        var process: pid_t = 0
        var user: UInt32 = 0
        var request = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, 1)
        let connection = clinux_accept(listener, &process, &user)
        guard connection >= 0 else { return }
        let next = given < processes ? segments[given].descriptor : -1
        _ = clinux_send_descriptor(connection, next)
        close(connection)
        given += next >= 0 ? 1 : 0
      })
    return (status, segments.prefix(given).map(\.audit))
  }

  /// Runs a subcommand that asks for a segment at an address without a listener, and at one that
  /// never answers.
  ///
  /// - Returns: Both wait statuses.
  /// - Throws: If the agent or the program cannot be built or started.
  static func runWithoutHarness(_ command: String) throws -> [Int32] {
    let alone = try runWithoutSegment(command, follow: "perfkit-absent")
    let address = "perfkit-silent-\(getpid())-\(command)"
    let listener = clinux_listen(address)
    try #require(listener >= 0)
    defer { close(listener) }
    return [alone, try runWithoutSegment(command, follow: address)]
  }

  /// The folder of these tests.
  static let tests = #filePath.replacing("/AgentUnderTest.swift", with: "")
  /// The folder of the package.
  static let root = tests.replacing("/Tests/CPerfAgentTests", with: "")

  /// The agent's library, the program, and their folder.
  static let built = Result<(agent: String, program: String, folder: String), any Error> {
    let folder = try TemporaryFolder.forAllTests().path
    try #require(
      try spawn(
        ["\(root)/Scripts/build-agent", folder],
        environment: sanitizer.map { ["SANITIZE=\($0)"] } ?? []) == 0)
    let program = "\(folder)/target"
    let sources = [
      "heap", "images", "main", "marks", "masked_signals", "masks", "procfs",
      "restricted_children", "restrictions", "scheduling", "signalled", "signals", "stacks",
      "threads", "waits", "woken",
    ].map {
      "\(tests)/Programs/\($0).c"
    }
    let flags =
      [
        "-std=gnu17", "-O2", "-g", "-Wall", "-Werror",
        "-I\(root)/Sources/Agent/CPerfFormat/include",
        "-o", program, "-lpthread", "-ldl",
      ] + sanitizerFlags
    var status: Int32 = -1
    for compiler in ["clang", "cc"] where status != 0 {
      status = (try? spawn([compiler] + sources + flags)) ?? -1
    }
    try #require(status == 0)
    return ("\(folder)/libperfkit-agent\(suffix).so", program, folder)
  }

  /// The sanitizer of the agent and the programs, set by `Scripts/sanitize`.
  static let sanitizer = getenv("PERFKIT_SANITIZER").map { String(cString: $0) }
  /// The suffix of its libraries' names.
  private static let suffix = sanitizer.map { "-\($0)" } ?? ""
  /// Whether the agent may interpose the heap, which two sanitizers replace themselves.
  static let hasHeap = sanitizer == nil || sanitizer == "undefined"
  /// Whether programs may start other programs, and may start or end threads without
  /// pthread_create.
  ///
  /// The agent with AddressSanitizer can only be preloaded into programs with that sanitizer, and
  /// not into a shell. The sanitizer sees threads by `pthread_create` alone, and ends the program
  /// if a new thread has the address of a thread whose end it did not see.
  static let canStartAnything = sanitizer != "address"
  static let sanitizerFlags =
    getenv("PERFKIT_SANITIZER_FLAGS").map {
      String(cString: $0).split(separator: " ").map(String.init)
    } ?? []

  /// Runs a program to its end, calling `meanwhile` repeatedly, and returns its wait status.
  static func spawn(
    _ words: [String], environment: [String] = [], descriptor: Int32? = nil,
    meanwhile: (() -> Void)? = nil
  ) throws -> Int32 {
    let process = try start(words, environment: environment, descriptor: descriptor)
    var status: Int32 = 0
    while let meanwhile, waitpid(process, &status, WNOHANG) == 0 { meanwhile() }
    while meanwhile == nil, waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Starts a program and returns its process id.
  static func start(
    _ words: [String], environment: [String] = [], descriptor: Int32? = nil
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 200) }
    // Tests run on threads that block signals. The program must not inherit their mask.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var variables = environment
    for name in ["PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"] {
      if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
    }
    var arguments = words.map { strdup($0) } + [nil]
    var values = variables.map { strdup($0) } + [nil]
    defer { for text in arguments + values { free(text) } }
    var process: pid_t = 0
    try #require(posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &values) == 0)
    return process
  }
}

extension CaptureConfiguration {
  /// Four rings that have room for all samples of a test, which drains nothing while the program
  /// runs.
  static let tests = Self(
    segmentBytes: 40 << 20, namesBytes: 64 << 10, sampleCapacity: 4 << 20, markCapacity: 1 << 20,
    stackBytes: 4096, interval: 1_000_000, seed: 7)

  /// A tick every 100 us: the kernel takes longer to copy the words of an exec.
  static let often: Self = {
    var configuration = Self.tests
    configuration.interval = 100_000
    return configuration
  }()
}
