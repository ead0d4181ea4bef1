import PerfTestSupport
import Synchronization
import Testing

@testable import LibraryStore

struct `Slow operations` {
  /// A clock that advances by a step at each reading.
  final class SteppingClock: Sendable {
    private let state: Mutex<(now: ContinuousClock.Instant, step: Duration)>

    init(step: Duration) { state = Mutex((.now, step)) }

    func set(step: Duration) { state.withLock { $0.step = step } }

    func read() -> ContinuousClock.Instant {
      state.withLock { state in
        state.now += state.step
        return state.now
      }
    }
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func library(_ log: SlowOperationLog) throws -> LibraryStore {
    let library = try LibraryStore(path: folder("library.sqlite"), slowOperations: log)
    try library.insert(sampleBooks(3))
    return library
  }

  @Test func `operations above the case study's thresholds are logged`() throws {
    let clock = SteppingClock(step: .milliseconds(1))
    let log = SlowOperationLog(now: { clock.read() })
    let library = try library(log)
    _ = try library.userEntry(ofWork: 1)
    clock.set(step: .microseconds(1_001))
    _ = try library.userEntry(ofWork: 2)
    clock.set(step: .milliseconds(10))
    _ = try library.bestEdition(ofWork: 2)
    clock.set(step: .microseconds(10_001))
    _ = try library.bestEdition(ofWork: 3)
    #expect(
      log.recent == [
        SlowOperation(kind: .userEntry, workID: 2, duration: .microseconds(1_001)),
        SlowOperation(kind: .primaryEdition, workID: 3, duration: .microseconds(10_001)),
      ])
  }

  @Test func `slow operations are counted beyond the log's capacity`() throws {
    let clock = SteppingClock(step: .seconds(1))
    let log = SlowOperationLog(capacity: 2, now: { clock.read() })
    let library = try library(log)
    for work: Int64 in 1...5 { _ = try library.userEntry(ofWork: work) }
    #expect(log.recent.map(\.workID) == [4, 5])
    #expect(log.count(of: .userEntry) == 5)
    #expect(log.count(of: .primaryEdition) == 0)
  }

  @Test func `a log without capacity only counts`() throws {
    let clock = SteppingClock(step: .seconds(1))
    let log = SlowOperationLog(capacity: 0, now: { clock.read() })
    _ = try library(log).bestEdition(ofWork: 1)
    #expect(log.recent.isEmpty)
    #expect(log.count(of: .primaryEdition) == 1)
  }
}
