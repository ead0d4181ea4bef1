internal import Glibc

/// A counting semaphore whose `signal` never waits.
///
/// It replaces a condition variable, because glibc's `pthread_cond_signal` waits until the threads
/// of an earlier signal have left the wait. The waiting loaders have low priority, and the
/// signalling frame thread waited up to 5 ms until a loader got a CPU.
final class Semaphore: Sendable {
  // Safety: sem_t is made for concurrent use, and its address does not change.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Adds permits, each of which releases one waiting thread.
  func signal(_ permits: Int = 1) {
    for _ in 0..<permits { sem_post(semaphore) }
  }

  /// Takes a permit, and waits until there is one.
  func wait() { _ = retryingInterrupts { Int(sem_wait(semaphore)) } }
}
