internal import Glibc
internal import Synchronization

/// Lets one thread of one process at a time change a folder, and says whether another process has.
///
/// A file in the folder is locked with flock(2), which ends with the process that holds it, and holds
/// a number that everybody raises who adds a file. Whoever finds another number than the one it saw
/// last does not know the folder's content any more.
final class FolderLock: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var lastSeen: UInt64?
  }

  private let path: String
  private let state = Mutex(State())

  /// Makes a lock of a folder; nothing is opened yet.
  init(directory: String) { path = "\(directory)/\(FolderLock.name)" }

  deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

  /// The file that is locked.
  static let name = ".lock"

  /// Calls a closure while nobody else changes the folder.
  ///
  /// - Parameters:
  ///   - adds: Whether `body` adds files; the others are told then.
  ///   - body: Is told whether somebody else has added files since the last call, or whether this is
  ///     the first one.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or the errno value of the call that failed.
  func exclusively<Result>(
    adds: Bool, _ body: (_ isChanged: Bool) throws(Errno) -> sending Result
  ) throws(Errno) -> sending Result {
    try state.withLock { state throws(Errno) in
      try lock(&state)
      defer { flock(state.descriptor, LOCK_UN) }
      var number: UInt64 = 0
      _ = retryingInterrupts { pread(state.descriptor, &number, 8, 0) }
      let isChanged = state.lastSeen != number
      if adds {
        number &+= 1
        _ = retryingInterrupts { pwrite(state.descriptor, &number, 8, 0) }
      }
      // Should `body` fail, the next call knows as little as this one.
      state.lastSeen = nil
      let result = try body(isChanged)
      state.lastSeen = number
      return result
    }
  }

  /// Locks the file that has the name now: the folder may have been removed and made again.
  private func lock(_ state: inout State) throws(Errno) {
    while true {
      if state.descriptor < 0 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Int32(retryingInterrupts { Int(open(path, flags, 0o644)) })
        guard descriptor >= 0 else { throw Errno(code: errno) }
        state.descriptor = descriptor
        state.lastSeen = nil
      }
      guard retryingInterrupts({ Int(flock(state.descriptor, LOCK_EX)) }) == 0 else {
        throw Errno(code: errno)
      }
      var mine = stat()
      var named = stat()
      if fstat(state.descriptor, &mine) == 0, stat(path, &named) == 0, mine.st_ino == named.st_ino,
        mine.st_dev == named.st_dev
      {
        return
      }
      close(state.descriptor)
      state.descriptor = -1
    }
  }
}
