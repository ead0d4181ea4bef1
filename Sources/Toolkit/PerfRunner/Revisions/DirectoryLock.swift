internal import Glibc

/// A shared lock of a folder, held until this value or its process ends.
final class DirectoryLock: Sendable {
  private let descriptor: Int32

  /// Locks a folder together with any number of other holders; without effect if the file system
  /// has no locks.
  init(_ path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { flock(descriptor, LOCK_SH | LOCK_NB) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns whether any process holds a lock of a folder.
  static func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
