import Foundation
import Glibc
import Synchronization
import Testing

@testable import PerfProtocol

private let handled = Atomic(0)

/// Waits for input on a thread that goes on to take signals afterwards.
private final class InputWait: Sendable {
  let hasInput = Atomic(false)
  let isDone = Atomic(false)
  private let channel: LineChannel

  init(_ channel: LineChannel) {
    self.channel = channel
  }

  func run() {
    // The threads of tests block signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGURG)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    channel.waitForInput()
    hasInput.store(true, ordering: .releasing)
    while !isDone.load(ordering: .acquiring) { sched_yield() }
  }
}

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

  @Test func `signals do not end the wait for input`() throws {
    let (channel, other) = pair()
    defer { close(other) }
    // A handler without SA_RESTART makes poll fail with EINTR. No other code here uses SIGURG.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in handled.add(1, ordering: .relaxed) }
    #expect(sigaction(SIGURG, &action, nil) == 0)
    defer { signal(SIGURG, SIG_DFL) }
    let wait = InputWait(channel)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { wait in
        wait.map { Unmanaged<InputWait>.fromOpaque($0).takeUnretainedValue().run() }
        return nil
      }, Unmanaged.passUnretained(wait).toOpaque())
    try #require(status == 0)
    for number in 1...1000 {
      pthread_kill(thread, SIGURG)
      while handled.load(ordering: .relaxed) < number { sched_yield() }
    }
    let hasEnded = wait.hasInput.load(ordering: .acquiring)
    #expect(!hasEnded)
    put("input\n", into: other)
    while !wait.hasInput.load(ordering: .acquiring) { sched_yield() }
    wait.isDone.store(true, ordering: .releasing)
    withExtendedLifetime(wait) { _ = pthread_join(thread, nil) }
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
