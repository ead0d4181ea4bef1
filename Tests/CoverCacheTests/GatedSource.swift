import CoverCache
import Foundation
import Synchronization

/// A source whose loads wait at a gate, so that a test controls how many are running.
final class GatedSource: CoverSource {
  private struct State {
    var isOpen = false
    var calls: [String] = []
    var inside = 0
    var mostInside = 0
  }

  private let covers: [String: [UInt8]]
  private let state = Mutex(State())
  private let condition = NSCondition()

  init(_ covers: [String: [UInt8]], isOpen: Bool = false) {
    self.covers = covers
    state.withLock { $0.isOpen = isOpen }
  }

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    condition.lock()
    state.withLock { state in
      state.calls.append(key)
      state.inside += 1
      state.mostInside = max(state.mostInside, state.inside)
    }
    condition.broadcast()
    while !state.withLock({ $0.isOpen }) { condition.wait() }
    state.withLock { $0.inside -= 1 }
    condition.unlock()
    guard let bytes = covers[key] else { throw .notFound(cover: key) }
    return bytes
  }

  /// Opens the gate permanently.
  func open() {
    condition.lock()
    state.withLock { $0.isOpen = true }
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until a number of loads are at the gate.
  func waitForLoads(_ count: Int) {
    condition.lock()
    while state.withLock({ $0.inside }) < count { condition.wait() }
    condition.unlock()
  }

  /// The requested keys, in order.
  var calls: [String] { state.withLock { $0.calls } }
  /// The largest number of concurrent loads.
  var mostInside: Int { state.withLock { $0.mostInside } }
}

extension CoverCache {
  /// Requests a cover and waits for its result.
  func outcome(
    of key: String, as kind: CoverKind = .thumbnail, priority: LoadPriority = .visible
  ) async -> Result<PixelBuffer, CoverError> {
    await withCheckedContinuation { continuation in
      request(key, as: kind, priority: priority) { continuation.resume(returning: $0) }
    }
  }
}

/// The results of several requests.
final class Outcomes: Sendable {
  private let results = Mutex<[String: Result<PixelBuffer, CoverError>]>([:])
  private let condition = NSCondition()

  func record(_ name: String, _ result: Result<PixelBuffer, CoverError>) {
    condition.lock()
    results.withLock { $0[name] = result }
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until there are `count` results.
  func wait(for count: Int) -> [String: Result<PixelBuffer, CoverError>] {
    condition.lock()
    defer { condition.unlock() }
    while results.withLock({ $0.count }) < count { condition.wait() }
    return results.withLock { $0 }
  }
}

extension Result {
  /// The error of a failure; nil for a success.
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
