import Glibc
import PerfTestSupport
import Synchronization
import Testing

@testable import PerfProfile

/// A C or C++ program of the tests, compiled once per test run.
struct TestProgram {
  let path: String

  private static let built = Mutex<[String: TestProgram]>([:])
  private static let sources = #filePath.replacing("TestProgram.swift", with: "Programs")
  private static let headers = #filePath.replacing(
    "Tests/PerfProfileTests/TestProgram.swift", with: "Sources/Agent/CPerfFormat/include")
  private static let folder = Result<TemporaryFolder, any Error> {
    try TemporaryFolder.forAllTests()
  }

  /// Compiles sources with `clang`, or returns the program that was compiled before.
  ///
  /// The program has no build id unless the flags ask for one; compilers differ in their default.
  static func build(
    _ name: String, _ files: [String], flags: [String] = []
  ) throws -> TestProgram {
    try built.withLock { programs in
      if let program = programs[name] { return program }
      let path = try folder.get()(name)
      let inputs = files.map { "\(sources)/\($0)" }
      let status = try spawn(
        ["clang", "-O2", "-fomit-frame-pointer", "-Wl,--build-id=none", "-I", headers] + flags
          + inputs
          + ["-o", path])
      try #require(status == 0)
      let program = TestProgram(path: path)
      programs[name] = program
      return program
    }
  }

  /// Copies the program without its debug information, which it writes to a debug file that the
  /// copy names.
  ///
  /// - Parameters:
  ///   - folder: The folder of both files.
  ///   - option: The option of objcopy(1) that strips the copy.
  /// - Returns: The paths of both files.
  /// - Throws: `tool` if objcopy fails.
  func split(
    into folder: String, _ option: String = "--strip-debug"
  ) throws -> (program: String, debug: String) {
    let (program, debug) = ("\(folder)/split", "\(folder)/split.debug")
    for words in [
      ["--only-keep-debug", path, debug],
      [option, "--add-gnu-debuglink=\(debug)", path, program],
    ] {
      _ = try Tool(path: "/usr/bin/objcopy", arguments: words).run("")
    }
    return (program, debug)
  }

  /// Returns the program with stacks of known shape, in C without frame pointers.
  static func stacks() throws -> TestProgram {
    try build("stacks", ["stacks.c", "capture.c"], flags: ["-g", "-lpthread"])
  }

  /// Runs the program with a segment, drains it and returns its wait status and its capture.
  func run(
    _ words: [String], in segment: CaptureSegment, spoolMemory: Int = 64 << 20
  ) throws -> (status: Int32, capture: Capture) {
    segment.reset()
    let drain = SegmentDrain(segment, storage: SampleStorage(memory: spoolMemory))
    let status = try start(words, in: segment)
    return (status, drain.finish())
  }

  /// Runs the program with a segment that the caller drains, and returns its wait status.
  func start(_ words: [String], in segment: CaptureSegment) throws -> Int32 {
    try Self.spawn([path] + words, segment: segment.descriptor)
  }

  /// Runs a program to its end and returns its wait status.
  private static func spawn(_ words: [String], segment: Int32? = nil) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Tests run on libdispatch's threads, which block most signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var variables: [String] = []
    for name in ["PATH", "HOME", "TMPDIR"] {
      if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
    }
    if let segment {
      posix_spawn_file_actions_adddup2(&actions, segment, 200)
      variables.append("\(CaptureSegment.descriptorVariable)=200")
    }
    var arguments = words.map { strdup($0) } + [nil]
    var environment = variables.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    try #require(
      posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &environment) == 0)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }
}

extension CaptureConfiguration {
  /// Returns a small configuration, which is enough for the few samples of a test.
  static func small(stackBytes: Int = 16 << 10, sampleCapacity: Int = 1 << 20) -> Self {
    Self(
      segmentBytes: sampleCapacity * 2 + (1 << 20), namesBytes: 4096,
      sampleCapacity: sampleCapacity, markCapacity: 64 << 10, stackBytes: stackBytes)
  }
}
