internal import Glibc

/// Says that a folder is in use, as long as this value lives; it ends with the process, too.
final class DirectoryLock: Sendable {
  private let descriptor: Int32

  /// Takes hold of a folder, as any number of others may; where the file system has no locks, nobody learns
  /// of it.
  init(_ path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { flock(descriptor, LOCK_SH | LOCK_NB) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether somebody uses a folder, in this process or another one.
  static func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
