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

  /// The words by which a shell opens the FIFO as its descriptor 9.
  ///
  /// The agent opens files of /proc while the program runs, each at the lowest free number for a moment. A shell
  /// that places its own file at that number meanwhile, e.g. by `exec 5>`, may lose it; 9 is never the lowest.
  var opening: String { "exec 9>'\(path)'" }

  /// Waits for a byte, or for the end of all writers; returns the number of bytes, or nil after a time.
  func read(within seconds: Int32 = 30) -> Int? {
    var request = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, seconds * 1000) > 0 else { return nil }
    var byte: UInt8 = 0
    return Glibc.read(end, &byte, 1)
  }
}
