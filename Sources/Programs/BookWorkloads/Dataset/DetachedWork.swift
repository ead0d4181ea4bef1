internal import Dispatch
internal import Synchronization

/// Async work for a thread that is not async.
enum DetachedWork {
  /// Does work on the threads of the pool, and waits for it on this one, which must be none of them.
  ///
  /// - Parameter work: What is done.
  /// - Returns: What came of it.
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
