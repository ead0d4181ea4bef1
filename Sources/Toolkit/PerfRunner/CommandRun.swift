internal import CLinux
internal import Foundation
internal import Glibc

/// A short command that ran to its end, and what it printed; no shell is between.
struct CommandRun {
  /// What it exited with; nil when a signal, its time limit or the user's stop ended it.
  let status: Int32?
  /// Whether it was ended because the user wants to stop.
  let wasStopped: Bool
  /// Its standard output without the white space at its ends.
  let output: String
  /// Its standard error likewise.
  let errors: String

  /// Runs a command.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Its arguments.
  ///   - directory: The folder that it runs in.
  ///   - environment: Its environment variables.
  ///   - seconds: How long it may take; then it is ended.
  ///   - isCancelled: Whether the user wants to stop, by which it is ended as well; asked ten times a second.
  ///   - begin: Called with the number of its process group once it runs.
  /// - Throws: `RunnerError.cannotStart` or `system`.
  init(
    _ path: String, _ arguments: [String], in directory: String, environment: [String: String],
    seconds: UInt64 = 10, isCancelled: () -> Bool = { false }, begin: (pid_t) -> Void = { _ in }
  ) throws(RunnerError) {
    let files = try Self.files(for: path)
    defer {
      close(files.output)
      close(files.errors)
    }
    let process = try WorkerProcess(
      WorkerProcess.Configuration(
        path: path, arguments: arguments, environment: environment, descriptors: [],
        directory: directory, streams: files))
    begin(process.id)
    let deadline = SystemCalls.now() + seconds * 1_000_000_000
    var ending: WorkerProcess.Ending?
    var isStopped = false
    while ending == nil, !isStopped, SystemCalls.now() < deadline {
      ending = process.waitForEnd(deadline: min(deadline, SystemCalls.now() + 100_000_000))
      isStopped = ending == nil && isCancelled()
    }
    if ending == nil { Self.end(process) }
    wasStopped = isStopped
    status = if case .exited(let code) = ending { code } else { nil }
    output = Self.text(of: files.output)
    errors = Self.text(of: files.errors)
  }

  /// Ends a command that goes on: it is asked first, so that it takes back what it has half done, as git does
  /// with its locks.
  private static func end(_ process: WorkerProcess) {
    process.send(SIGTERM)
    guard process.waitForEnd(deadline: SystemCalls.now() + 5_000_000_000) == nil else { return }
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

  private static func text(of file: Int32) -> String {
    let size = lseek(file, 0, SEEK_END)
    guard size > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
