internal import Dispatch
internal import Synchronization

/// Asynchronous work that a synchronous function waits for.
enum DetachedWork {
  /// Runs work in a detached task and waits for it on the calling thread, which must not be a thread
  /// of the concurrency pool.
  static func result<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let result = Mutex<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      let value = await work()
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let value = result.withLock(\.self) else { preconditionFailure("signalled too early") }
    return value
  }
}
