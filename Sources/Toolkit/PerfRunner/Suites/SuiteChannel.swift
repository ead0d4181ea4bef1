internal import CLinux
internal import Foundation
internal import Glibc

/// The files through which a suite's program receives its requests and replies.
final class SuiteChannel: Sendable {
  private let requests: Int32
  private let replies: Int32

  /// Creates files with requests.
  ///
  /// - Throws: `RunnerError.system`.
  init(_ content: Data) throws(RunnerError) {
    requests = clinux_memory_file("perfkit-requests")
    replies = clinux_memory_file("perfkit-replies")
    guard requests >= 0, replies >= 0 else {
      throw .system(
        call: "memfd_create", object: "perfkit-requests",
        reason: SystemCalls.text(of: -min(requests, replies)))
    }
    let written = content.withUnsafeBytes { pwrite(requests, $0.baseAddress, $0.count, 0) }
    guard written == content.count else {
      throw SystemCalls.error("pwrite", on: "perfkit-requests")
    }
  }

  deinit {
    for file in [requests, replies] where file >= 0 { close(file) }
  }

  /// Both files, with their numbers in the program.
  var descriptors: [(ours: Int32, theirs: Int32)] {
    [(requests, SuiteMessages.descriptors.requests), (replies, SuiteMessages.descriptors.replies)]
  }

  /// Returns the replies of an ended process.
  ///
  /// - Throws: `SuiteMessages.Problem`.
  func messages() throws(SuiteMessages.Problem) -> [SuiteMessages.Message] {
    let size = max(0, lseek(replies, 0, SEEK_END))
    var bytes = [UInt8](repeating: 0, count: size)
    let count = pread(replies, &bytes, size, 0)
    return try SuiteMessages.replies(Data(bytes.prefix(max(0, count))))
  }
}
