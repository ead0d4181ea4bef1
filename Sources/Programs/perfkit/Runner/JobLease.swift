internal import Foundation
internal import PerfHub
internal import PerfStore

/// The lease of a job, with the runner's connection to the hub.
final class JobLease {
  /// The connection, which is made again after it was lost; nil until then.
  private(set) var hub: Hub?
  /// The state at the last sign of life.
  private(set) var state = Hub.Lease.held
  private let job: Job
  private let duration: Duration
  private let connect: () throws -> Hub
  private var next: ContinuousClock.Instant
  private var end: ContinuousClock.Instant

  init(of job: Job, _ hub: Hub, for duration: Duration, connect: @escaping () throws -> Hub) {
    self.job = job
    self.hub = hub
    self.duration = duration
    self.connect = connect
    next = .now + duration / 3
    end = .now + duration
  }

  /// Gives a sign of life when a third of the lease is over; returns whether the job goes on.
  func extend() -> Bool {
    guard case .held = state else { return false }
    guard ContinuousClock.now >= next else { return true }
    do {
      let hub = try hub ?? connect()
      self.hub = hub
      state = try hub.extendLease(of: job, by: duration)
      next = .now + duration / 3
      end = .now + duration
    } catch {
      // The server may come back before the lease ends.
      hub = nil
      next = .now + .seconds(1)
      if ContinuousClock.now >= end { state = .lost }
    }
    if case .held = state { return true }
    return false
  }

  /// Pushes runs, and gives a sign of life after each run when it is due.
  func push(_ runs: [String], of store: RunStore) throws {
    _ = try use { hub in try hub.push(runs, of: store) { _, _ in _ = extend() } }
  }

  /// Uses the connection, a new one if it was lost, until the end of the lease.
  func use<Value>(_ body: (Hub) throws -> Value) throws -> Value {
    while true {
      do {
        let hub = try hub ?? connect()
        self.hub = hub
        return try body(hub)
      } catch let error as HubError {
        switch error {
        case .lost, .unreachable, .slow: hub = nil
        default: throw error
        }
        guard ContinuousClock.now < end else { throw error }
        Thread.sleep(forTimeInterval: 1)
      }
    }
  }
}
