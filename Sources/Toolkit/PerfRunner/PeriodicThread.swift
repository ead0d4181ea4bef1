internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that does something small again and again until it is stopped.
final class PeriodicThread: Sendable {
  private final class Box: Sendable {
    let isStopping = Mutex(false)
    let name: String
    let interval: UInt64
    let body: @Sendable () -> Void

    init(name: String, interval: UInt64, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.interval = interval
      self.body = body
    }

    func run() {
      clinux_name_thread(name)
      var next = SystemCalls.now()
      while !isStopping.withLock({ $0 }) {
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
  ///   - body: What it does; it must be short, since `stop()` waits for it.
  init(name: String, interval: UInt64, body: @escaping @Sendable () -> Void) {
    box = Box(name: name, interval: interval, body: body)
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
