import CoverCache
import Synchronization

/// A switch that a closure and a test share.
final class Switch: Sendable {
  private let state = Mutex(false)
  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// A closure that a test sets and a hook runs once.
final class Action: Sendable {
  private let state = Mutex<(@Sendable () -> Void)?>(nil)

  func set(_ body: @escaping @Sendable () -> Void) { state.withLock { $0 = body } }

  func run() {
    let body = state.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }
}

/// The maximum of recorded numbers.
final class Most: Sendable {
  private let state = Mutex(0)
  func record(_ number: Int) { state.withLock { $0 = max($0, number) } }
  var value: Int { state.withLock { $0 } }
}

extension CacheMetrics {
  init(missCount: Int) {
    self.init()
    self.missCount = missCount
  }
}
