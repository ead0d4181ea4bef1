internal import Glibc
internal import Synchronization

/// One end of the control channel: whole lines over a stream socket.
///
/// One thread at a time reads; any thread may send.
package final class LineChannel: @unchecked Sendable {
  // Safety: only the reading thread uses `buffer` and `isAtEnd`. Everything else is constant or
  // protected by the mutex.

  /// The result of waiting for a line.
  package enum Event: Equatable {
    /// A line without its newline.
    case line([UInt8])
    /// The first 256 bytes of a line that is longer than the protocol allows.
    case overlong([UInt8])
    /// The text after the last newline of a channel that the other side closed.
    case cutOff([UInt8])
    /// The other side closed the channel.
    case closed
    /// The deadline passed.
    case deadline
    /// The caller cancelled the wait.
    case cancelled
  }

  /// The length limit of a line, in bytes.
  package static let longestLine = 1 << 20

  private let descriptor: Int32
  private let sending = Mutex(())
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  /// Takes ownership of a descriptor, which the channel closes when it is deallocated.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a line and its newline; does nothing when the other side is gone.
  ///
  /// Any thread.
  package func send(_ line: [UInt8]) {
    sending.withLock { _ in
      (line + [UInt8(ascii: "\n")]).withUnsafeBytes { bytes in
        var rest = bytes
        while !rest.isEmpty {
          let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return }
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
      }
    }
  }

  /// Waits until there is input, without allocating memory.
  ///
  /// A signal does not end the wait: reading would allocate memory.
  package func waitForInput() {
    guard buffer.isEmpty else { return }
    while !waitForInput(milliseconds: -1) {
      guard errno == EINTR else { return }
    }
  }

  /// Waits for the next line, for as long as it takes.
  package func next() -> Event {
    while true {
      if let event = takeEvent() { return event }
      fill()
    }
  }

  /// Waits for the next line until a deadline.
  ///
  /// - Parameters:
  ///   - deadline: In nanoseconds of CLOCK_MONOTONIC.
  ///   - isCancelled: Returns whether to stop waiting; called every 100 ms and after a signal.
  /// - Returns: The line, or the reason for its absence.
  package func next(deadline: UInt64, isCancelled: () -> Bool) -> Event {
    while true {
      if let event = takeEvent() { return event }
      if isCancelled() { return .cancelled }
      let now = monotonicNanoseconds()
      guard now < deadline else { return .deadline }
      let wait = min((deadline - now) / 1_000_000 + 1, 100)
      if waitForInput(milliseconds: Int32(wait)) { fill() }
    }
  }

  /// Returns the event that the bytes read so far make up; nil when more are needed.
  private func takeEvent() -> Event? {
    if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(buffer[..<end])
      buffer.removeSubrange(...end)
      return .line(line)
    }
    if buffer.count > Self.longestLine {
      defer { buffer = [] }
      return .overlong(Array(buffer.prefix(256)))
    }
    guard isAtEnd else { return nil }
    guard !buffer.isEmpty else { return .closed }
    defer { buffer = [] }
    return .cutOff(buffer)
  }

  private func waitForInput(milliseconds: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, milliseconds) > 0
  }

  private func fill() {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { chunk in
      let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
      } else if count == 0 || errno != EINTR {
        isAtEnd = true
      }
    }
  }

  private func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
