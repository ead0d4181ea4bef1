internal import Glibc

/// State under a lock that threads can wait on: a POSIX mutex and its condition variable.
///
/// Synchronization has no condition, and an actor would take the loaders from the threads that we
/// name and give a priority.
final class Monitor<State: ~Copyable>: Sendable {
  // Safety: `state` is touched with `mutex` held alone; both C objects stay where they were made.
  private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private nonisolated(unsafe) let changed: UnsafeMutablePointer<pthread_cond_t>
  private nonisolated(unsafe) var state: State

  init(_ state: consuming sending State) {
    mutex = .allocate(capacity: 1)
    changed = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    self.state = state
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Calls a closure with the lock held.
  func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&state)
  }

  /// Waits until a closure, called with the lock held, returns something.
  func wait<Result>(for body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      pthread_cond_wait(changed, mutex)
    }
  }

  /// Lets one waiting thread look at the state again.
  func notifyOne() { pthread_cond_signal(changed) }

  /// Lets every waiting thread look at the state again.
  func notifyAll() { pthread_cond_broadcast(changed) }
}
