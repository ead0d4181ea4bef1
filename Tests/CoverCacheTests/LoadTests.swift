import CoverCache
import Foundation
import PerfTestSupport
import Synchronization
import Testing

/// A clock whose delayed calls run when a test advances it.
final class ManualLoadClock: Sendable {
  private struct State {
    var now = Duration.zero
    var calls: [(at: Duration, body: @Sendable () -> Void)] = []
    var slept: [Duration] = []
  }

  private let state = Mutex(State())
  private let condition = NSCondition()

  var clock: LoadClock {
    LoadClock(
      now: { self.state.withLock { $0.now } },
      call: { delay, body in
        self.condition.lock()
        self.state.withLock { $0.calls.append(($0.now + delay, body)) }
        self.condition.broadcast()
        self.condition.unlock()
      },
      sleep: { time in self.state.withLock { $0.slept.append(time) } })
  }

  /// The times that threads have slept, in order.
  var slept: [Duration] { state.withLock { $0.slept } }

  /// Waits until a number of delayed calls are scheduled and returns their times.
  func waitForCalls(_ count: Int) -> [Duration] {
    condition.lock()
    defer { condition.unlock() }
    while state.withLock({ $0.calls.count }) < count { condition.wait() }
    return state.withLock { $0.calls.map(\.at) }
  }

  /// Advances to a time and runs the calls that are due.
  func advance(to time: Duration) {
    let due = state.withLock { state in
      state.now = time
      let due = state.calls.filter { $0.at <= time }
      state.calls.removeAll { $0.at <= time }
      return due.map(\.body)
    }
    for body in due { body() }
  }
}

/// A source that fails a given number of times.
private final class FailingSource: CoverSource {
  private let failures: Mutex<[CoverError]>
  private let bytes: [UInt8]
  private let count = Atomic<Int>(0)

  init(_ failures: [CoverError], then bytes: [UInt8]) {
    self.failures = Mutex(failures)
    self.bytes = bytes
  }

  var callCount: Int { count.load(ordering: .relaxed) }

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    count.add(1, ordering: .relaxed)
    let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let failure { throw failure }
    return bytes
  }
}

/// A source that fails after a gate.
private struct BusySource: CoverSource {
  let gate: GatedSource
  let error: CoverError

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    _ = try? gate.encodedCover(for: key)
    throw error
  }
}

@Suite struct `a load that fails temporarily` {
  let bytes: [UInt8]
  let clock = ManualLoadClock()
  let lost = CoverError.unreachable(cover: "a")

  init() throws { bytes = try JPEGEncoder().encode(try gradient(40, 60)) }

  private func cache(_ source: any CoverSource, loads: Int = 1) throws -> CoverCache {
    var configuration = CoverCacheConfiguration()
    configuration.retry.jitter = 0
    configuration.concurrentLoads = loads
    return try CoverCache(source: source, configuration: configuration, clock: clock.clock)
  }

  @Test func `a failed load is retried after one, two and four seconds`() throws {
    let source = FailingSource([lost, lost, lost], then: bytes)
    let cache = try cache(source)
    let outcomes = Outcomes()
    cache.request("a") { outcomes.record("a", $0) }
    // Each delay starts at the end of the previous one: 1, 1 + 2, 1 + 2 + 4.
    for due in [1, 3, 7] {
      #expect(clock.waitForCalls(1) == [.seconds(due)])
      clock.advance(to: .seconds(due))
    }
    #expect(outcomes.wait(for: 1)["a"]?.error == nil)
    #expect(source.callCount == 4)
    #expect(cache.loadMetrics.retriedCount == 3)
    #expect(cache.loadMetrics.finishedCount == 1)
  }

  @Test func `a load fails after three retries`() throws {
    let cache = try cache(FailingSource(Array(repeating: lost, count: 4), then: bytes))
    let outcomes = Outcomes()
    cache.request("a") { outcomes.record("a", $0) }
    for due in [1, 3, 7] {
      _ = clock.waitForCalls(1)
      clock.advance(to: .seconds(due))
    }
    #expect(outcomes.wait(for: 1)["a"]?.error == lost)
    #expect(cache.loadMetrics.failedCount == 1)
    #expect(cache.loadMetrics.pendingCount == 0)
  }

  @Test func `a retry waits as long as the server asks for`() throws {
    let busy = CoverError.overloaded(cover: "a", retryAfter: .seconds(30))
    let cache = try cache(FailingSource([busy], then: bytes))
    let outcomes = Outcomes()
    cache.request("a") { outcomes.record("a", $0) }
    #expect(clock.waitForCalls(1) == [.seconds(30)])
    clock.advance(to: .seconds(30))
    #expect(outcomes.wait(for: 1)["a"]?.error == nil)
  }

  @Test func `a load that waits for its retry occupies no thread and can be joined`() throws {
    let source = FailingSource([lost], then: bytes)
    let cache = try cache(source)
    let outcomes = Outcomes()
    cache.request("a") { outcomes.record("a", $0) }
    _ = clock.waitForCalls(1)
    cache.request("a") { outcomes.record("a too", $0) }
    cache.request("b") { outcomes.record("b", $0) }
    #expect(outcomes.wait(for: 1)["b"]?.error == nil)
    clock.advance(to: .seconds(1))
    #expect(outcomes.wait(for: 3).values.allSatisfy { $0.error == nil })
    #expect(source.callCount == 3)
    #expect(cache.loadMetrics.joinedCount == 1)
  }

  @Test func `a load without requests is not retried`() throws {
    let source = FailingSource([lost], then: bytes)
    let cache = try cache(source)
    let request = cache.request("a")
    _ = clock.waitForCalls(1)
    request.cancel()
    clock.advance(to: .seconds(1))
    let outcomes = Outcomes()
    cache.request("b") { outcomes.record("b", $0) }
    _ = outcomes.wait(for: 1)
    #expect(source.callCount == 2)
    #expect(request.result?.error == .cancelled(cover: "a"))
  }

  @Test func `a cancelled load that is requested again waits until the server's pause ends`() throws
  {
    let busy = CoverError.overloaded(cover: "a", retryAfter: .seconds(30))
    let source = FailingSource([busy], then: bytes)
    let cache = try cache(source)
    let first = cache.request("a")
    #expect(clock.waitForCalls(1) == [.seconds(30)])
    first.cancel()
    let outcomes = Outcomes()
    cache.request("a") { outcomes.record("a", $0) }
    clock.advance(to: .seconds(29))
    // b is requested later and loaded by the only thread, so a would be loaded before it.
    cache.request("b") { outcomes.record("b", $0) }
    #expect(outcomes.wait(for: 1).keys.sorted() == ["b"])
    #expect(source.callCount == 2)
    clock.advance(to: .seconds(30))
    #expect(outcomes.wait(for: 2)["a"]?.error == nil)
    #expect(source.callCount == 3)
  }

  @Test func `a load that failed unwanted is not requested before its pause ends`() throws {
    let busy = CoverError.overloaded(cover: "a", retryAfter: .seconds(30))
    let gate = GatedSource([:])
    let cache = try cache(BusySource(gate: gate, error: busy))
    let unwanted = cache.request("a")
    gate.waitForLoads(1)
    unwanted.cancel()
    gate.open()
    #expect(clock.waitForCalls(1) == [.seconds(30)])
    cache.request("a")
    let outcomes = Outcomes()
    cache.request("b") { outcomes.record("b", $0) }
    #expect(clock.waitForCalls(2) == [.seconds(30), .seconds(30)])
    #expect(gate.calls == ["a", "b"])
  }

  @Test func `a cancelled load keeps the number of its attempts until its delay has passed`() throws
  {
    let cache = try cache(FailingSource([lost, lost, lost], then: bytes))
    let first = cache.request("a")
    _ = clock.waitForCalls(1)
    first.cancel()
    let second = cache.request("a")
    clock.advance(to: .seconds(1))
    // The second attempt is followed by two seconds.
    #expect(clock.waitForCalls(1) == [.seconds(3)])
    second.cancel()
    clock.advance(to: .seconds(3))
    // Nothing was wanted at the end of the delay, so the next load is a first attempt.
    cache.request("a")
    #expect(clock.waitForCalls(1) == [.seconds(4)])
  }

  @Test func `deallocating the cache cancels a load that waits for its retry`() throws {
    let outcomes = Outcomes()
    do {
      let cache = try cache(FailingSource([lost], then: bytes))
      cache.request("a") { outcomes.record("a", $0) }
      _ = clock.waitForCalls(1)
    }
    #expect(outcomes.wait(for: 1)["a"]?.error == .cancelled(cover: "a"))
    clock.advance(to: .seconds(1))
  }
}

@Suite struct `a retry policy` {
  let lost = CoverError.unreachable(cover: "a")

  @Test func `jitter extends delays by up to a quarter and depends on the seed`() {
    var policy = RetryPolicy()
    policy.seed = 7
    let waits = (0..<200).map { policy.delay(afterAttempts: 2, error: lost, key: "\($0)") }
    #expect(waits.allSatisfy { ($0 ?? .zero) >= .seconds(2) && ($0 ?? .zero) <= .seconds(2.5) })
    #expect(Set(waits).count == 200)
    #expect(waits == (0..<200).map { policy.delay(afterAttempts: 2, error: lost, key: "\($0)") })
    policy.seed = 8
    #expect(waits[0] != policy.delay(afterAttempts: 2, error: lost, key: "0"))
  }

  @Test func `a retry never comes earlier than the server asked for`() {
    let busy = CoverError.overloaded(cover: "a", retryAfter: .seconds(10))
    let wait = RetryPolicy().delay(afterAttempts: 1, error: busy, key: "a")
    #expect((wait ?? .zero) >= .seconds(10))
    // After the third failure, the policy's four seconds exceed the server's three.
    let shorter = CoverError.overloaded(cover: "a", retryAfter: .seconds(3))
    #expect(
      (RetryPolicy().delay(afterAttempts: 3, error: shorter, key: "a") ?? .zero) >= .seconds(4))
  }

  @Test func `permanent failures and long delays are not retried`() {
    let policy = RetryPolicy()
    #expect(policy.delay(afterAttempts: 1, error: .notFound(cover: "a"), key: "a") == nil)
    #expect(policy.delay(afterAttempts: 4, error: lost, key: "a") == nil)
    #expect(RetryPolicy.never.delay(afterAttempts: 1, error: lost, key: "a") == nil)
    let hour = CoverError.overloaded(cover: "a", retryAfter: .seconds(3600))
    #expect(policy.delay(afterAttempts: 1, error: hour, key: "a") == nil)
  }
}

@Suite struct `the number of loads` {
  @Test func `the number of concurrent loads can be lowered to zero and raised again`() throws {
    var covers: [String: [UInt8]] = [:]
    for key in 0..<9 { covers["\(key)"] = try JPEGEncoder().encode(try gradient(4, 6)) }
    let source = GatedSource(covers)
    let cache = try CoverCache(source: source)
    let outcomes = Outcomes()
    cache.setConcurrentLoads(0)
    for key in 0..<9 { cache.request("\(key)") { outcomes.record("\(key)", $0) } }
    cache.setConcurrentLoads(1)
    source.waitForLoads(1)
    cache.setConcurrentLoads(2)
    source.waitForLoads(2)
    #expect(source.mostInside == 2)
    cache.setConcurrentLoads(0)
    source.open()
    // Running loads finish and no other load starts.
    #expect(outcomes.wait(for: 2).count == 2)
    #expect(cache.loadMetrics.pendingCount == 7)
    cache.setConcurrentLoads(100)
    #expect(outcomes.wait(for: 9).count == 9)
    #expect(cache.loadMetrics.highestConcurrency <= 3)
  }
}
