internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that repeats a short function until it is stopped.
final class PeriodicThread: Sendable {
  private let isStopping = Mutex(false)
  private let handle = Mutex<pthread_t?>(nil)
  private let name: String
  private let interval: UInt64
  private let measured: Int32?
  private let body: @Sendable () -> Void

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: A name of at most 15 bytes, shown by the kernel.
  ///   - interval: Nanoseconds between two rounds.
  ///   - measured: A process whose CPU the thread avoids. In a virtual machine the kernel wakes a
  ///     thread where it slept, even if the measured thread runs there by now.
  ///   - body: The function; it must be short, because `stop()` waits for it.
  init(
    name: String, interval: UInt64, measured: Int32? = nil, body: @escaping @Sendable () -> Void
  ) {
    (self.name, self.interval, self.measured, self.body) = (name, interval, measured, body)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<PeriodicThread>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    if code == 0 {
      handle.withLock { [thread] in $0 = thread }
    } else {
      context.release()
    }
  }

  private func run() {
    clinux_name_thread(name)
    var next = SystemCalls.now()
    var (rounds, stay) = (0, 1)
    while !isStopping.withLock({ $0 }) {
      // If all CPUs are busy, stepping aside does not help, so it happens more and more rarely.
      if let measured, rounds >= stay, clinux_step_aside(measured) {
        (rounds, stay) = (0, 2 * stay)
      }
      rounds += 1
      body()
      // Late rounds are not repeated; the next interval starts now.
      next = max(next + interval, SystemCalls.now())
      SystemCalls.sleep(until: next)
    }
  }

  /// Stops the thread after its current round; a second call does nothing.
  func stop() {
    isStopping.withLock { $0 = true }
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }
}
