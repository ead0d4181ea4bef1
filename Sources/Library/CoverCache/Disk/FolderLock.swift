internal import Glibc
internal import Synchronization

/// A lock on a folder between threads and processes, which also detects foreign changes.
///
/// The lock is a flock(2) on a file in the folder, so it ends with its process. The file holds a
/// number that every process raises when it adds files. A process that reads another number than it
/// saw last must read the folder again.
final class FolderLock: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var lastSeen: UInt64?
  }

  private let path: String
  private let state = Mutex(State())

  init(directory: String) { path = "\(directory)/\(FolderLock.name)" }

  deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

  /// The name of the lock file.
  static let name = ".lock"

  /// Calls a closure while no other thread or process changes the folder.
  ///
  /// `adds` is whether `body` adds files, which other processes must notice. `body` receives
  /// whether another process has added files since the last call; true in the first call.
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
      // If `body` fails, the next call must read the folder again.
      state.lastSeen = nil
      let result = try body(isChanged)
      state.lastSeen = number
      return result
    }
  }

  /// Opens and locks the current lock file; the folder may have been deleted and created again.
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
