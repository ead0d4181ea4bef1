internal import Glibc

/// A counting semaphore that whoever signals never waits on.
///
/// Not a condition variable: glibc's `pthread_cond_signal` waits until the threads that an earlier
/// signal woke have left the wait. Our waiters are of low priority, and the frame thread, which
/// signals, was seen to wait up to 5 ms for one of them to get a CPU.
final class Semaphore: Sendable {
  // Safety: sem_t is made for concurrent use, and stays where it was initialised.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  /// Makes a semaphore without permits.
  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Adds permits, each of which lets one waiting thread go on.
  func signal(_ permits: Int = 1) {
    for _ in 0..<permits { sem_post(semaphore) }
  }

  /// Takes a permit, and waits until there is one.
  func wait() {
    _ = retryingInterrupts { Int(sem_wait(semaphore)) }
  }
}
