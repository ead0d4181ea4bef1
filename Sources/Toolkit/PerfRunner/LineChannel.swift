internal import Foundation
internal import Glibc

/// Lines over a stream socket, with deadlines; used by one thread at a time but for `send`.
final class LineChannel {
  /// What came of waiting for a line.
  enum Event {
    case line(Data)
    case closed
    case deadline
    case cancelled
  }

  /// The longest line that is accepted, in bytes.
  static let longestLine = 1 << 20

  private let descriptor: Int32
  private var buffer = Data()
  private var isClosed = false

  /// Takes over a descriptor and closes it at the end.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends whole bytes; a channel whose other end is gone takes them silently.
  ///
  /// Any thread: one small message is one write.
  func send(_ data: Data) {
    data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
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

  /// Waits for the next line.
  ///
  /// - Parameters:
  ///   - deadline: CLOCK_MONOTONIC nanoseconds.
  ///   - isCancelled: Asked about ten times a second, and whenever a signal comes.
  /// - Returns: The line without its newline; an overlong one is cut and will be no message.
  func next(deadline: UInt64, isCancelled: () -> Bool) -> Event {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = Data(buffer[buffer.startIndex..<end])
        buffer = Data(buffer[(end + 1)...])
        return .line(line)
      }
      if buffer.count > Self.longestLine {
        defer { buffer = Data() }
        return .line(Data(buffer.prefix(256)))
      }
      if isClosed {
        guard !buffer.isEmpty else { return .closed }
        defer { buffer = Data() }
        return .line(buffer)
      }
      if isCancelled() { return .cancelled }
      let now = SystemCalls.now()
      guard now < deadline else { return .deadline }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let wait = min((deadline - now) / 1_000_000 + 1, 100)
      guard poll(&request, 1, Int32(wait)) > 0 else { continue }
      fill()
    }
  }

  private func fill() {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = read(descriptor, &chunk, chunk.count)
    if count > 0 {
      buffer.append(contentsOf: chunk[..<count])
    } else if count == 0 || errno != EINTR {
      isClosed = true
    }
  }
}
