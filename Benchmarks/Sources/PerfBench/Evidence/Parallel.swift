internal import Dispatch
internal import Synchronization

/// Parallel work on all cores.
enum Parallel {
  /// Returns the values of a function for 0 to before `count`, in order.
  static func map<Value: Sendable>(
    _ count: Int, _ value: @Sendable (Int) -> Value
  ) -> [Value] {
    let size = max(1, count / 256)
    let parts = (count + size - 1) / size
    let found = Mutex<[[Value]]>(Array(repeating: [], count: parts))
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      let values = ((part * size)..<min(count, (part + 1) * size)).map(value)
      found.withLock { $0[part] = values }
    }
    return found.withLock { $0.flatMap(\.self) }
  }
}
