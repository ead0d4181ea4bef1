internal import Glibc
internal import Synchronization

/// The worker's end of the control channel: whole lines over a stream socket.
///
/// One thread at a time reads; any thread sends.
final class ControlChannel: @unchecked Sendable {
  // Safety: `buffer` is used by the reading thread alone, which changes only while the other one is
  // known to have stopped reading; everything else is constant or behind the mutex.

  /// The longest line of the protocol, in bytes.
  static let longestLine = 1 << 20

  private let descriptor: Int32
  private let sending = Mutex(())
  private var buffer: [UInt8] = []

  /// Takes over a descriptor and closes it at the end.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// What came of waiting for a line.
  enum Event: Equatable {
    /// A line without its newline.
    case line([UInt8])
    /// A line longer than the protocol allows.
    case overlong
    /// The harness is gone.
    case closed
  }

  /// Waits until there is something to read; it may return too early.
  ///
  /// It allocates nothing.
  func wait() {
    guard buffer.isEmpty else { return }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&request, 1, -1)
  }

  /// Waits for the next line.
  func next() -> Event {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeSubrange(...end)
        return .line(line)
      }
      searched = buffer.count
      if searched > Self.longestLine { return .overlong }
      // What follows the last newline of a closed channel was cut off and is no line.
      guard fill() else { return .closed }
    }
  }

  /// Sends a line and its newline; a harness that is gone takes it silently.
  ///
  /// Any thread.
  func send(_ line: [UInt8]) {
    sending.withLock { _ in
      (line + [UInt8(ascii: "\n")]).withUnsafeBytes { bytes in
        var rest = bytes
        while !rest.isEmpty {
          let count = Glibc.send(
            descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return }
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
      }
    }
  }

  private func fill() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { chunk in
      while true {
        let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
      }
    }
  }
}
