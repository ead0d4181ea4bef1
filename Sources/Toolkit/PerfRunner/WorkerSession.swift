internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfProtocol

/// The conversation with one worker process.
final class WorkerSession {
  /// The result of waiting for an answer.
  enum Answer {
    case message(WorkerMessage)
    /// The process ended without an answer.
    case ended(WorkerProcess.Ending)
    case deadline
    case cancelled
  }

  let process: WorkerProcess
  /// The name for error messages.
  let name: String
  private(set) var warnings: [RunWarning] = []

  private let channel: LineChannel
  private let isCancelled: () -> Bool

  /// Starts a worker.
  ///
  /// - Parameters:
  ///   - launch: Program, environment and descriptors, without the control channel.
  ///   - opening: Messages that are in the channel before the worker starts.
  ///   - isCancelled: Whether the user wants to stop.
  /// - Throws: `RunnerError` if the process cannot be started.
  init(
    _ launch: WorkerProcess.Configuration, opening: [HarnessMessage] = [],
    isCancelled: @escaping () -> Bool
  ) throws {
    var pair: [Int32] = [-1, -1]
    let lines = try opening.map { try $0.line() }
    let bytes = lines.reduce(0) { $0 + $1.count }
    guard bytes <= Self.longestOpening else {
      throw RunnerError.longOrder(worker: launch.path, bytes: bytes, limit: Self.longestOpening)
    }
    guard
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0
    else { throw SystemCalls.error("socketpair", on: launch.path) }
    defer { Glibc.close(pair[1]) }
    channel = LineChannel(descriptor: pair[0])
    for line in lines { channel.send(line) }
    var launch = launch
    launch.descriptors.append((pair[1], Self.controlDescriptor))
    launch.environment["PERFKIT_CONTROL_FD"] = String(Self.controlDescriptor)
    process = try WorkerProcess(launch)
    name = launch.path.split(separator: "/").last.map(String.init) ?? launch.path
    self.isCancelled = isCancelled
  }

  /// The bytes that a socket takes before anyone reads, on every kernel; the default buffer has 208
  /// KiB.
  private static let longestOpening = 64 << 10

  /// The descriptor number of the control channel in every worker.
  private static let controlDescriptor: Int32 = 3

  func send(_ message: HarnessMessage) throws {
    channel.send(try message.line())
  }

  /// Returns a function that sends pressure messages from any thread.
  func pressureSender() -> @Sendable (HarnessMessage.MemoryPressure) -> Void {
    { [channel] pressure in
      if let line = try? HarnessMessage.pressure(pressure).line() { channel.send(line) }
    }
  }

  /// Waits for the next message except warnings, which are collected.
  ///
  /// - Throws: `RunnerError.garbage` for an invalid line.
  func answer(stage: String, deadline: UInt64) throws -> Answer {
    while true {
      switch channel.next(deadline: deadline, isCancelled: isCancelled) {
      case .line(let line), .overlong(let line), .cutOff(let line):
        guard let message = try? WorkerMessage(line: line) else {
          throw RunnerError.garbage(
            worker: name, stage: stage, line: String(decoding: line, as: UTF8.self))
        }
        switch message {
        case .warning(let warning): collect(warning)
        case .failed(let stage, let reason):
          return .message(.failed(stage: Self.cut(stage), message: Self.cut(reason)))
        case .ready(let files, let notes):
          return .message(.ready(files: files, notes: notes.mapValues(Self.cut)))
        default: return .message(message)
        }
      case .closed:
        // The socket closes slightly before the process can be reaped.
        if let ending = process.waitForEnd(deadline: SystemCalls.now() + 5_000_000_000) {
          if case .signalled(let signal) = ending { collectLastLine(afterCrashBy: signal) }
          return .ended(ending)
        }
        return .deadline
      case .deadline: return .deadline
      case .cancelled: return .cancelled
      }
    }
  }

  /// The most warnings that are kept, of which each is shown.
  private static let mostWarnings = 100

  /// Returns the beginning of a text that is stored for each launch.
  private static func cut(_ text: String) -> String {
    // Counting characters of a long text takes long.
    guard text.utf8.count > 2000 else { return text }
    let start = String(text.prefix(2000))
    return start.utf8.count < text.utf8.count
      ? "\(start)... (\(NumberFormat.grouped(text.utf8.count)) bytes)" : text
  }

  /// Keeps a warning, or reports once that further warnings are dropped.
  private func collect(_ warning: WorkerMessage.Warning) {
    guard warnings.count <= Self.mostWarnings else { return }
    warnings.append(
      warnings.count < Self.mostWarnings
        ? RunWarning(
          code: String(warning.code.prefix(WorkerDescription.longestName)),
          message: Self.cut(warning.message), remedy: Self.cut(warning.remedy))
        : RunWarning(
          code: "worker.warnings",
          message:
            "the worker sent more than \(Self.mostWarnings) warnings; the others were dropped",
          remedy: "Count repeated events with a counter."))
  }

  /// Reports the last line of a crashed worker's output, which may have the reason, as of Swift's `fatalError`.
  private func collectLastLine(afterCrashBy signal: Int32) {
    // The harness or the kernel kills by SIGKILL; the worker then has no last words.
    guard signal != SIGKILL else { return }
    let lines = process.keptOutput(last: 64 << 10).split(whereSeparator: \.isNewline)
    // In debug builds, Swift prints the stack after the reason.
    let reason = lines.last { $0.contains("Fatal error: ") }
    guard let line = reason ?? lines.last else { return }
    warnings.append(
      RunWarning(
        code: "worker.crash",
        message:
          "the worker crashed (\(Launch.Status.signalName(signal))); its last output: "
          + Self.cut(String(line)),
        remedy: "Repair the worker."))
  }

  /// Waits for the hello message.
  ///
  /// - Throws: `RunnerError` if there is none or its version is unknown.
  func hello() throws -> WorkerDescription? {
    switch try answer(stage: "hello", deadline: SystemCalls.now() + Self.helloTime) {
    case .message(.hello(let hello)):
      guard hello.version == Hello.knownVersion else {
        throw RunnerError.protocolVersion(
          worker: name, found: hello.version, known: Hello.knownVersion)
      }
      do {
        let description = try WorkerDescription(hello)
        if let warning = description.warning(of: hello) { warnings.append(warning) }
        return description
      } catch {
        throw RunnerError.garbage(worker: name, stage: "hello", line: "\(error)")
      }
    case .message(.failed(let stage, let message)):
      throw RunnerError.stageFailed(worker: name, stage: stage, message: message)
    case .message: throw unexpected("hello")
    case .ended(let ending): throw silence("hello", ending)
    case .deadline: throw silence("hello", nil)
    case .cancelled: return nil
    }
  }

  /// Loading a worker from a cold disk takes seconds; longer silence is a failure.
  private static let helloTime: UInt64 = 30_000_000_000

  /// Asks the worker to end, kills it if it does not within some nanoseconds, and collects its last warnings.
  ///
  /// - Returns: A description of an end that is not regular, such as `crashed (SIGSEGV)`; nil for a
  ///   regular end.
  @discardableResult
  func close(patience: UInt64 = 2_000_000_000) -> String? {
    try? send(.quit)
    let ending = process.waitForEnd(deadline: SystemCalls.now() + patience)
    if ending == nil {
      process.kill()
      _ = process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
    }
    let failure = lastFailure().map { "reported a failure: \($0)" }
    switch ending {
    case .exited(0)?: return failure
    case .exited(let code)?: return failure ?? "exited with \(code)"
    case .signalled(let signal)?: return "crashed (\(Launch.Status.signalName(signal)))"
    case nil:
      return "did not end within \(NumberFormat.human(Double(patience), .time)) and was killed"
    }
  }

  /// Collects the warnings of an ended worker that were not read yet, and returns the failure among them.
  private func lastFailure() -> String? {
    var failure: String?
    // A process that the worker left may keep the channel open, and write.
    let deadline = SystemCalls.now() + 100_000_000
    for _ in 0...Self.mostWarnings {
      guard case .line(let line) = channel.next(deadline: deadline, isCancelled: { false })
      else { break }
      switch try? WorkerMessage(line: line) {
      case .warning(let warning): collect(warning)
      case .failed(_, let message): failure = Self.cut(message)
      default: break
      }
    }
    return failure
  }

  func unexpected(_ stage: String) -> RunnerError {
    .garbage(worker: name, stage: stage, line: "a message of another stage")
  }

  /// Returns the warning about an end that is not regular.
  static func warning(ofEnd end: String, after stage: String) -> RunWarning {
    RunWarning(
      code: "worker.end", message: "after its \(stage), the worker \(end)",
      remedy: "Its results are kept. Look for work that goes on, and for errors in its end.")
  }

  func silence(_ stage: String, _ ending: WorkerProcess.Ending?) -> RunnerError {
    let how =
      switch ending {
      case .exited(let code): "exited with \(code)"
      case .signalled(let signal): "was killed by \(Launch.Status.signalName(signal))"
      case nil: "did not answer in time"
      }
    return .noAnswer(worker: name, stage: stage, how: how, output: process.lastOutput())
  }
}
