import Foundation
import Glibc
import Testing

@testable import PerfProtocol

struct LineChannelTests {
  /// Returns a channel and the other end of its socket.
  private func pair() -> (LineChannel, Int32) {
    var descriptors: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    return (LineChannel(descriptor: descriptors[0]), descriptors[1])
  }

  private func put(_ text: String, into descriptor: Int32) {
    #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
  }

  @Test func `lines arrive one by one however they were written`() {
    let (channel, other) = pair()
    put("one\ntwo\nthr", into: other)
    #expect(channel.next() == .line(Array("one".utf8)))
    #expect(channel.next(deadline: .max, isCancelled: { false }) == .line(Array("two".utf8)))
    put("ee\n", into: other)
    #expect(channel.next() == .line(Array("three".utf8)))
    close(other)
  }

  @Test func `text without a newline before the end is reported as cut off`() {
    let (channel, other) = pair()
    put("rest", into: other)
    close(other)
    #expect(channel.next() == .cutOff(Array("rest".utf8)))
    #expect(channel.next() == .closed)
    #expect(channel.next(deadline: .max, isCancelled: { false }) == .closed)
  }

  @Test func `a line above the limit is cut to 256 bytes`() {
    let (channel, other) = pair()
    let writer = Thread {
      let block = [UInt8](repeating: 120, count: 1 << 16)
      // The reader closes its end before everything is written, which must not raise SIGPIPE.
      for _ in 0..<20 { _ = send(other, block, block.count, Int32(MSG_NOSIGNAL)) }
      close(other)
    }
    writer.start()
    #expect(channel.next() == .overlong([UInt8](repeating: 120, count: 256)))
  }

  @Test func `a passed deadline and a cancellation end the wait`() {
    let (channel, other) = pair()
    defer { close(other) }
    #expect(channel.next(deadline: 0, isCancelled: { false }) == .deadline)
    #expect(channel.next(deadline: .max, isCancelled: { true }) == .cancelled)
  }

  @Test func `a sent line arrives with one newline`() {
    let (channel, other) = pair()
    channel.send(Array("hello".utf8))
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(recv(other, &bytes, bytes.count, 0) == 6)
    #expect(bytes.prefix(6).elementsEqual("hello\n".utf8))
    close(other)
    // The other side is gone now: sending must neither fail nor raise SIGPIPE.
    channel.send(Array("again".utf8))
  }
}
