import Foundation
import PerfTestSupport
import Testing

/// A FIFO that processes hold open for writing.
final class ProcessWitness {
  let path: String
  private let end: Int32

  init(in folder: TemporaryFolder) throws {
    path = folder("witness")
    try #require(mkfifo(path, 0o600) == 0)
    end = open(path, O_RDONLY | O_NONBLOCK)
  }

  deinit { close(end) }

  /// Waits for a byte, or for the end of all writers; returns the number of bytes, or nil after a time.
  func read(within seconds: Int32 = 30) -> Int? {
    var request = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, seconds * 1000) > 0 else { return nil }
    var byte: UInt8 = 0
    return Glibc.read(end, &byte, 1)
  }
}
