import Foundation
import Glibc
import Testing

@testable import PerfRunner

struct LineChannelTests {
  /// A channel and the other end of its socket.
  private func pair() -> (LineChannel, Int32) {
    var descriptors: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    return (LineChannel(descriptor: descriptors[0]), descriptors[1])
  }

  private func put(_ text: String, into descriptor: Int32) {
    #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
  }

  private func next(_ channel: LineChannel) -> String? {
    let event = channel.next(deadline: SystemCalls.now() + 20_000_000_000) { false }
    guard case .line(let data) = event else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `lines come one by one however they were written`() {
    let (channel, other) = pair()
    put("one\ntwo\nthr", into: other)
    #expect(next(channel) == "one")
    #expect(next(channel) == "two")
    put("ee\n", into: other)
    #expect(next(channel) == "three")
    close(other)
  }

  @Test func `text without a newline at the end is the last line`() {
    let (channel, other) = pair()
    put("rest", into: other)
    close(other)
    #expect(next(channel) == "rest")
    guard case .closed = channel.next(deadline: .max, isCancelled: { false }) else {
      Issue.record("the channel should be closed")
      return
    }
  }

  @Test func `a line without end is cut and does not fill the memory`() {
    let (channel, other) = pair()
    let writer = Thread {
      let block = [UInt8](repeating: 120, count: 1 << 16)
      // The reader goes away in the middle: that must not kill the test.
      for _ in 0..<20 { _ = send(other, block, block.count, Int32(MSG_NOSIGNAL)) }
      close(other)
    }
    writer.start()
    #expect(next(channel) == String(repeating: "x", count: 256))
  }

  @Test func `a deadline that has passed and a wish to stop end the waiting`() {
    let (channel, other) = pair()
    defer { close(other) }
    guard case .deadline = channel.next(deadline: 0, isCancelled: { false }) else {
      Issue.record("expected a deadline")
      return
    }
    guard case .cancelled = channel.next(deadline: .max, isCancelled: { true }) else {
      Issue.record("expected a cancellation")
      return
    }
  }
}
