internal import Foundation
internal import Glibc

/// Threads with names and a priority of their own that can be waited for.
final class BackgroundThreads: Sendable {
  private let group = DispatchGroup()

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: At most 15 bytes.
  ///   - nice: From 0, as everybody, to 19, only when nobody else wants the CPU.
  ///   - body: What it does until it ends.
  func start(_ name: String, nice: Int, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [group] in
      // Linux keeps a nice value for each thread; 0 is the calling one.
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
