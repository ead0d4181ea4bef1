internal import Glibc

/// A lock of a folder, held until this value or its process ends.
final class DirectoryLock: Sendable {
  private let descriptor: Int32
  /// Whether the lock was taken; false as well if the file system has no locks.
  let isHeld: Bool
  /// Whether another process has a lock that excludes this one.
  let isTaken: Bool

  /// Locks a folder, alone or together with any number of other holders, without waiting.
  init(_ path: String, isExclusive: Bool) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let kind = isExclusive ? LOCK_EX : LOCK_SH
    isHeld = descriptor >= 0 && flock(descriptor, kind | LOCK_NB) == 0
    isTaken = descriptor >= 0 && !isHeld && errno == EWOULDBLOCK
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
