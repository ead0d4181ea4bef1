internal import Foundation
internal import Glibc

/// Threads with names and priorities that a caller can wait for.
final class BackgroundThreads: Sendable {
  private let group = DispatchGroup()

  /// Starts a thread with a name of at most 15 bytes and a nice value from 0 to 19.
  func start(_ name: String, nice: Int, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [group] in
      // On Linux each thread has its own nice value; 0 means the calling thread.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(nice))
      body()
      group.leave()
    }
    thread.name = name
    thread.start()
  }

  /// Waits until all threads have ended.
  func wait() { group.wait() }
}
