internal import Foundation
internal import Glibc

/// A watch that detects whether any process opens one of some files, or lists one of some folders.
///
/// - Note: inotify(7)
public final class FileWatch {
  private let queue: Int32

  /// Begins to watch; nil if the kernel's limit of watches is reached.
  ///
  /// - Parameter paths: Files and folders; missing ones are left out.
  public init?(_ paths: some Sequence<String>) {
    queue = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard queue >= 0 else { return nil }
    for path in paths where inotify_add_watch(queue, path, UInt32(IN_OPEN)) < 0 {
      guard errno == ENOENT || errno == ENOTDIR else { return nil }
    }
  }

  deinit { if queue >= 0 { close(queue) } }

  /// Whether a watched file was opened or a watched folder was listed since the last call.
  public func hasOpened() -> Bool {
    var events = [UInt8](repeating: 0, count: 1 << 16)
    var found = false
    while true {
      let count = read(queue, &events, events.count)
      guard count > 0 else { return found }
      var start = 0
      while start + 16 <= count {
        // An event is: watch, mask, cookie, length of the name, each of 4 bytes, and the name.
        let fields = events.withUnsafeBytes { bytes in
          (1...3).map { bytes.loadUnaligned(fromByteOffset: start + $0 * 4, as: UInt32.self) }
        }
        // An event with a name is of a file in a watched folder, which has a watch of its own.
        found = found || fields[2] == 0 || fields[0] & UInt32(IN_Q_OVERFLOW) != 0
        start += 16 + Int(fields[2])
      }
    }
  }
}
