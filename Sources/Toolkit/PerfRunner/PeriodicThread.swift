internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that does something small again and again until it is stopped.
final class PeriodicThread: Sendable {
  private final class Box: Sendable {
    let isStopping = Mutex(false)
    let name: String
    let interval: UInt64
    let measured: Int32?
    let body: @Sendable () -> Void

    init(
      name: String, interval: UInt64, measured: Int32?, body: @escaping @Sendable () -> Void
    ) {
      self.name = name
      self.interval = interval
      self.measured = measured
      self.body = body
    }

    func run() {
      clinux_name_thread(name)
      var next = SystemCalls.now()
      var (rounds, stay) = (0, 1)
      while !isStopping.withLock({ $0 }) {
        // Where the process uses every CPU there is none to go to, so each step is the last for longer.
        if let measured, rounds >= stay, clinux_step_aside(measured) {
          (rounds, stay) = (0, 2 * stay)
        }
        rounds += 1
        body()
        // A late round is not made up for: the grid goes on from now.
        next = max(next + interval, SystemCalls.now())
        SystemCalls.sleep(until: next)
      }
    }
  }

  private let box: Box
  private let handle: Mutex<pthread_t?>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: At most 15 bytes; shown by the kernel.
  ///   - interval: Nanoseconds from one round to the next.
  ///   - measured: A process from whose CPU it steps aside. (The kernel of a virtual machine takes a CPU
  ///     that rests for one that its host has taken away, and wakes a thread where it slept, though the
  ///     measured one runs there by now.)
  ///   - body: What it does; it must be short, since `stop()` waits for it.
  init(
    name: String, interval: UInt64, measured: Int32? = nil, body: @escaping @Sendable () -> Void
  ) {
    box = Box(name: name, interval: interval, measured: measured, body: body)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(box)
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    if code == 0 {
      handle = Mutex(thread)
    } else {
      context.release()
      handle = Mutex(nil)
    }
  }

  /// Ends the thread and waits for its last round; does nothing the second time.
  func stop() {
    box.isStopping.withLock { $0 = true }
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }
}
