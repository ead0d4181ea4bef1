import CLinux
import CPerfFormat
import Glibc
import Synchronization
import Testing

@testable import PerfProfile

/// The agent and the program that it is tried on, each built once a run of the tests.
enum AgentUnderTest {
  /// What one run has left.
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
  ///   - configuration: Of the segment.
  ///   - change: Is given the segment's header before the program starts.
  /// - Returns: How it ended, and all its records.
  /// - Throws: When anything cannot be built or started, or a record breaks the format.
  static func run(
    _ command: String, _ configuration: CaptureConfiguration = .tests,
    change: (UnsafeMutablePointer<perfkit_segment>) -> Void = { _ in }
  ) throws -> Outcome {
    let built = try built.get()
    let segment = try CaptureSegment(configuration)
    let header = segment.ring(0).withMemoryRebound(to: UInt8.self, capacity: 1) {
      UnsafeMutableRawPointer($0 - segment.layout.ringsOffset)
        .assumingMemoryBound(to: perfkit_segment.self)
    }
    change(header)
    let status = try spawn(
      [built.program, command],
      environment: ["LD_PRELOAD=\(built.agent)", "\(CaptureSegment.descriptorVariable)=200"],
      descriptor: segment.descriptor)
    return Outcome(status: status, records: try SegmentRecords(segment, header))
  }

  /// Runs a subcommand with the agent and a segment that is drained all the while; with the agent's
  /// library for the heap when allocations are counted.
  ///
  /// - Parameters:
  ///   - command: A subcommand of `Programs/main.c`.
  ///   - configuration: Of the segment.
  ///   - library: What is preloaded after the agent.
  ///   - isDrainedMeanwhile: False when the rings hold all, and no CPU is to be used beside the program.
  /// - Returns: The wait status of the program, and what the harness makes of the segment.
  /// - Throws: When anything cannot be built or started.
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

  /// Returns the agent's library, which for allocations is one that knows of the heap.
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
  ///   - variable: What the environment says of a segment.
  ///   - follow: The address of a socket that gives one.
  /// - Returns: The wait status of the program.
  /// - Throws: When anything cannot be built or started.
  static func runWithoutSegment(
    _ command: String, variable: String? = nil, follow: String? = nil
  ) throws -> Int32 {
    let built = try built.get()
    var variables = variable.map { ["\(CaptureSegment.descriptorVariable)=\($0)"] } ?? []
    if let follow { variables.append("PERFKIT_FOLLOW=\(follow)") }
    return try spawn(
      [built.program, command], environment: ["LD_PRELOAD=\(built.agent)"] + variables)
  }

  /// Runs a subcommand that gets its segment by a socket, as its children do.
  ///
  /// - Parameters:
  ///   - command: A subcommand of `Programs/main.c`.
  ///   - configuration: Of the segments.
  ///   - processes: How many are given one.
  /// - Returns: The wait status of the program, and what was counted in each of the processes.
  /// - Throws: When anything cannot be built or started.
  static func runFollowed(
    _ command: String, _ configuration: CaptureConfiguration, processes: Int
  ) throws -> (status: Int32, audits: [AgentAudit]) {
    let address = "perfkit-follows-\(getpid())-\(command)"
    let listener = clinux_listen(address)
    try #require(listener >= 0)
    defer { close(listener) }
    // Made ahead: a process does not wait for long.
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

  /// Runs a subcommand that asks for a segment where nobody is, and where nobody answers.
  ///
  /// - Returns: The wait statuses of both.
  /// - Throws: When anything cannot be built or started.
  static func runWithoutHarness(_ command: String) throws -> [Int32] {
    let alone = try runWithoutSegment(command, follow: "perfkit-nobody")
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

  /// The agent's library and the program; the folder that they lie in is for other programs, too.
  static let built = Result<(agent: String, program: String, folder: String), any Error> {
    var template = Array("/tmp/perfkit-agent-tests-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    try #require(
      try spawn(
        ["\(root)/Scripts/build-agent", folder],
        environment: sanitizer.map { ["SANITIZE=\($0)"] } ?? []) == 0)
    let program = "\(folder)/target"
    let sources = [
      "heap.c", "images.c", "main.c", "marks.c", "masks.c", "stacks.c", "threads.c",
    ].map {
      "\(tests)/Programs/\($0)"
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

  /// The sanitizer that the agent and the programs are built with, as `Scripts/sanitize` asks for.
  static let sanitizer = getenv("PERFKIT_SANITIZER").map { String(cString: $0) }
  /// What the names of its libraries end with.
  private static let suffix = sanitizer.map { "-\($0)" } ?? ""
  /// Whether the agent's library for the heap can be used: two sanitizers have a heap of their own.
  static let hasHeap = sanitizer == nil || sanitizer == "undefined"
  /// Whether programs can be sampled that start others, or start or end threads in ways of their own.
  ///
  /// AddressSanitizer must be in each program that the agent with it is preloaded into, as a shell's is
  /// not, and knows threads by `pthread_create` alone: it ends the program when a thread comes to where
  /// one was that it did not see end.
  static let canStartAnything = sanitizer != "address"
  static let sanitizerFlags =
    getenv("PERFKIT_SANITIZER_FLAGS").map {
      String(cString: $0).split(separator: " ").map(String.init)
    } ?? []

  /// Runs a program to its end and returns its wait status; calls `meanwhile` again and again until
  /// then.
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

  /// Starts a program and returns its process.
  static func start(
    _ words: [String], environment: [String] = [], descriptor: Int32? = nil
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 200) }
    // Tests run on threads that block signals, which a program would inherit.
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
  /// Four threads' rings that hold all samples of a test, which drains nothing while it runs.
  static let tests = Self(
    segmentBytes: 40 << 20, namesBytes: 64 << 10, sampleCapacity: 4 << 20, markCapacity: 1 << 20,
    stackBytes: 4096, interval: 1_000_000, seed: 7)

  /// A tick every 100 us, while the kernel takes longer to copy the words of an exec.
  static let often: Self = {
    var configuration = Self.tests
    configuration.interval = 100_000
    return configuration
  }()
}
