internal import CLinux
internal import Foundation
internal import Glibc

/// A program that reads all of its input, writes an answer and ends.
///
/// Input and output are files in memory instead of pipes, so megabytes need no thread and cannot block
/// both sides.
struct Tool {
  /// Another process is not worthwhile for fewer questions.
  private static let smallestShare = 100

  let path: String
  let arguments: [String]
  /// The time limit in seconds.
  var seconds = 300
  /// The limit of the tool's address space and of its output, in bytes each; nil for no limit.
  var memoryBytes: Int?
  /// Whether the tool may ask the servers in DEBUGINFOD_URLS.
  var asksServers = false

  /// Returns the number of processes that answers questions fastest.
  static func processes(for questions: Int) -> Int {
    max(1, min(cpus, questions / smallestShare))
  }

  private static var cpus: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

  /// Runs the tool and returns its output.
  ///
  /// - Parameter input: The text for the tool's standard input.
  /// - Returns: The bytes that the tool wrote to its standard output.
  /// - Throws: `tool` if the tool cannot be started, fails or exceeds a limit.
  func run(_ input: String) throws(PerfProfileError) -> [UInt8] {
    let question = try memoryFile()
    defer { close(question) }
    let answer = try memoryFile()
    defer { close(answer) }
    do {
      try FileHandle(fileDescriptor: question).write(contentsOf: Data(input.utf8))
    } catch {
      throw failure("writing its input: \(error.localizedDescription)")
    }
    lseek(question, 0, SEEK_SET)

    // Standard error is a pipe: it carries the reason of a failure, and its end is the tool's end.
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failure("pipe: \(systemMessage(errno))") }
    defer { close(ends[0]) }
    // Tools that run at the same time must not inherit the pipe and keep it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process: pid_t
    do {
      defer { close(ends[1]) }
      process = try spawn(input: question, output: answer, error: ends[1])
    }
    if let memoryBytes {
      clinux_limit_process(process, UInt(memoryBytes), UInt(seconds * Self.cpus))
    }
    let ending = readUntilEnd(ends[0])
    // The process leads a group, which contains the tools that it has started.
    if case .failure = ending { kill(-process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let complaint = try ending.get()
    guard status == 0 else {
      let last = complaint.split(separator: "\n").last.map { ": \($0)" } ?? ""
      let end = status & 0x7f == 0 ? "exit status \(status >> 8)" : "signal \(status & 0x7f)"
      throw failure("it ended with \(end)\(last)")
    }
    lseek(answer, 0, SEEK_SET)
    do {
      return [UInt8](try FileHandle(fileDescriptor: answer).readToEnd() ?? Data())
    } catch {
      throw failure("reading its output: \(error.localizedDescription)")
    }
  }

  private func failure(_ reason: String) -> PerfProfileError {
    .tool(path: path, reason: reason)
  }

  private func memoryFile() throws(PerfProfileError) -> Int32 {
    let file = clinux_memory_file("perfkit-tool")
    guard file >= 0 else { throw failure("memfd_create: \(systemMessage(-file))") }
    return file
  }

  private func spawn(
    input: Int32, output: Int32, error: Int32
  ) throws(PerfProfileError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (index, file) in [input, output, error].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, file, Int32(index))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // With this variable llvm-symbolizer would ask a server for each file without debug information.
    let environment = ProcessInfo.processInfo.environment.filter {
      asksServers || $0.key != "DEBUGINFOD_URLS"
    }
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for variable in variables { free(variable) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
    guard code == 0 else { throw failure(systemMessage(code)) }
    return process
  }

  /// Returns the first bytes from a pipe once it has ended, or the failure of the wait.
  private func readUntilEnd(_ pipe: Int32) -> Result<String, PerfProfileError> {
    let deadline = monotonicNanoseconds() + UInt64(seconds) * 1_000_000_000
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let now = monotonicNanoseconds()
      guard now < deadline else {
        return .failure(failure("it took more than \(seconds) seconds"))
      }
      var request = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      let ready = poll(&request, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
      // A filter may deny the call, which would then fail at once each time.
      if ready < 0, errno != EINTR { return .failure(failure("poll: \(systemMessage(errno))")) }
      guard ready > 0 else { continue }
      let count = read(pipe, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return .success(String(decoding: text, as: UTF8.self)) }
      if text.count < 65536 { text += buffer[..<count] }
    }
  }
}
