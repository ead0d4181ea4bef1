import Foundation
import Glibc
import Synchronization
import Testing

@testable import PerfWorkload

/// The harness's end of a conversation with a suite on another thread of this process.
final class ScriptedHarness: Sendable {
  private let descriptor: Int32
  private let result: ExitStatus

  /// Passes an exit status from one thread to another.
  private final class ExitStatus: Sendable {
    private let value = Mutex<Int32?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func give(_ status: Int32) {
      value.withLock { $0 = status }
      semaphore.signal()
    }

    func take() -> Int32? {
      semaphore.wait()
      return value.withLock { $0 }
    }
  }

  /// Starts a suite's side of the conversation.
  init(_ workloads: [any WorkloadDefinition.Type]) throws {
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    descriptor = pair[0]
    let theirs = pair[1]
    let result = ExitStatus()
    self.result = result
    let suite = WorkloadSuite(name: "Test", workloads: workloads)
    let conversation = Conversation(suite: suite, channel: LineChannel(descriptor: theirs))
    // Safety: only the new thread uses the conversation.
    nonisolated(unsafe) let unshared = conversation
    Thread { unshared.run { result.give($0) } }.start()
  }

  deinit { close(descriptor) }

  /// Sends bytes without a newline.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a line.
  func send(_ line: String) { send(Array((line + "\n").utf8)) }

  /// Sends an order for the workload "test".
  func order(_ type: String, parameters: String = "{}", workload: String = "test") {
    send(
      """
      {"type":"\(type)","workload":"\(workload)","parameters":\(parameters),"seed":7,\
      "cache":"/cache","iteration":3,"scratch":"/scratch"}
      """)
  }

  /// Closes the sending direction.
  func hangUp() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Waits for the next message; returns nil when the suite has closed its end.
  func message() throws -> [String: Any]? {
    var line: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, 0)
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
  }

  /// Waits for the next message, which must have a type.
  func message(_ type: String) throws -> [String: Any] {
    let message = try #require(try message())
    #expect(message["type"] as? String == type)
    return message
  }

  /// Waits for the end of the suite and returns its exit status.
  func end() -> Int32? { result.take() }
}
