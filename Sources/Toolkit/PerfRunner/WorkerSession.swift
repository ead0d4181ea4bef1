internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfProtocol

/// The conversation with one worker process.
final class WorkerSession {
  /// What came of waiting for an answer.
  enum Answer {
    case message(WorkerMessage)
    /// It ended without an answer.
    case ended(WorkerProcess.Ending)
    case deadline
    case cancelled
  }

  /// The process.
  let process: WorkerProcess
  /// The name for error messages.
  let name: String
  /// Warnings that it has sent so far.
  private(set) var warnings: [RunWarning] = []

  private let channel: LineChannel
  private let isCancelled: () -> Bool

  /// Starts a worker.
  ///
  /// - Parameters:
  ///   - launch: Program, environment and descriptors; the control channel is added to them.
  ///   - opening: Messages that already wait in the channel when it starts.
  ///   - isCancelled: Whether the user wants to stop.
  /// - Throws: `RunnerError` when the process cannot be started.
  init(
    _ launch: WorkerProcess.Configuration, opening: [HarnessMessage] = [],
    isCancelled: @escaping () -> Bool
  ) throws {
    var pair: [Int32] = [-1, -1]
    guard
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0
    else { throw SystemCalls.error("socketpair", on: launch.path) }
    defer { Glibc.close(pair[1]) }
    channel = LineChannel(descriptor: pair[0])
    for message in opening { channel.send(try message.line()) }
    var launch = launch
    launch.descriptors.append((pair[1], Self.controlDescriptor))
    launch.environment["PERFKIT_CONTROL_FD"] = String(Self.controlDescriptor)
    process = try WorkerProcess(launch)
    name = launch.path.split(separator: "/").last.map(String.init) ?? launch.path
    self.isCancelled = isCancelled
  }

  /// The descriptor number of the control channel in every worker.
  private static let controlDescriptor: Int32 = 3

  /// Sends a message.
  func send(_ message: HarnessMessage) throws {
    channel.send(try message.line())
  }

  /// Returns a function that sends pressure messages from any thread.
  func pressureSender() -> @Sendable (PressureState) -> Void {
    let channel = channel
    return { state in
      guard let line = try? HarnessMessage.pressure(state.message).line() else { return }
      channel.send(line)
    }
  }

  /// Waits for the next message but warnings, which are kept.
  ///
  /// - Throws: `RunnerError.garbage` for a line that is no message.
  func answer(stage: String, deadline: UInt64) throws -> Answer {
    while true {
      switch channel.next(deadline: deadline, isCancelled: isCancelled) {
      case .line(let line), .overlong(let line), .cutOff(let line):
        guard let message = try? WorkerMessage(line: line) else {
          throw RunnerError.garbage(
            worker: name, stage: stage, line: String(decoding: line, as: UTF8.self))
        }
        guard case .warning(let warning) = message else {
          return .message(message)
        }
        warnings.append(
          RunWarning(code: warning.code, message: warning.message, remedy: warning.remedy))
      case .closed:
        // The socket closes a moment before the process can be waited for.
        if let ending = process.waitForEnd(deadline: SystemCalls.now() + 5_000_000_000) {
          return .ended(ending)
        }
        return .deadline
      case .deadline: return .deadline
      case .cancelled: return .cancelled
      }
    }
  }

  /// Waits for the hello.
  ///
  /// - Throws: `RunnerError` when there is none, or when it is of an unknown version.
  func hello() throws -> WorkerDescription? {
    switch try answer(stage: "hello", deadline: SystemCalls.now() + Self.helloTime) {
    case .message(.hello(let hello)):
      guard hello.version == Hello.knownVersion else {
        throw RunnerError.protocolVersion(
          worker: name, found: hello.version, known: Hello.knownVersion)
      }
      do {
        return try WorkerDescription(hello)
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

  /// A cold disk takes seconds to bring a worker in; a worker that is silent longer is broken.
  private static let helloTime: UInt64 = 30_000_000_000

  /// Asks the worker to end and waits; kills it when it does not.
  func close() {
    try? send(.quit)
    if process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000) == nil {
      process.kill()
      _ = process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
    }
  }

  /// The error of a message that was not due.
  func unexpected(_ stage: String) -> RunnerError {
    .garbage(worker: name, stage: stage, line: "a message of another stage")
  }

  /// The error of a worker that ended, or was silent, where an answer was due.
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
