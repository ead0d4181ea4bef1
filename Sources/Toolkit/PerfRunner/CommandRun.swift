internal import CLinux
internal import Glibc

/// A short command that was run to its end without a shell, and its output.
struct CommandRun {
  /// The exit status; nil if a signal, the time limit or the user ended the command.
  let status: Int32?
  let wasStopped: Bool
  /// Standard output without surrounding white space.
  let output: String
  /// Standard error without surrounding white space.
  let errors: String

  /// Runs a command.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Its arguments.
  ///   - directory: The working directory.
  ///   - environment: The environment variables.
  ///   - descriptors: Further descriptors and their numbers in the command.
  ///   - seconds: The time limit.
  ///   - patience: Nanoseconds from SIGTERM to SIGKILL when the command is ended.
  ///   - isCancelled: Whether the user wants to stop the command; called ten times a second.
  ///   - begin: Called with the process group after the start.
  /// - Throws: `RunnerError.cannotStart` or `system`.
  init(
    _ path: String, _ arguments: [String], in directory: String, environment: [String: String],
    descriptors: [(ours: Int32, theirs: Int32)] = [], seconds: UInt64 = 10,
    patience: UInt64 = 5_000_000_000, isCancelled: () -> Bool = { false },
    begin: (pid_t) -> Void = { _ in }
  ) throws(RunnerError) {
    let files = try Self.files(for: path)
    defer {
      close(files.output)
      close(files.errors)
    }
    let process = try WorkerProcess(
      WorkerProcess.Configuration(
        path: path, arguments: arguments, environment: environment, descriptors: descriptors,
        directory: directory, streams: files))
    begin(process.id)
    let deadline = SystemCalls.now() + seconds * 1_000_000_000
    let wait = process.waitForEnd(deadline: deadline, isCancelled: isCancelled)
    if wait == .cancelled || wait == .timedOut { Self.end(process, patience) }
    wasStopped = wait == .cancelled
    status = if case .ended(.exited(let code)) = wait { code } else { nil }
    output = SystemCalls.text(in: files.output)
    errors = SystemCalls.text(in: files.errors)
  }

  /// Ends a running command, with SIGTERM first so that git can remove its locks.
  private static func end(_ process: WorkerProcess, _ patience: UInt64) {
    process.send(SIGTERM)
    guard process.waitForEnd(deadline: SystemCalls.now() + patience) == nil else { return }
    process.kill()
    _ = process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
  }

  private static func files(
    for path: String
  ) throws(RunnerError) -> (output: Int32, errors: Int32) {
    let output = clinux_memory_file("perfkit-output")
    let errors = clinux_memory_file("perfkit-errors")
    guard output >= 0, errors >= 0 else {
      throw .system(
        call: "memfd_create", object: path, reason: SystemCalls.text(of: -min(output, errors)))
    }
    return (output, errors)
  }
}
