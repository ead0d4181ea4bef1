import PerfModel
import PerfTestSupport
import Testing

@testable import PerfHub

/// The queue of comparisons.
@Suite(.enabled(if: TestPostgres.isAvailable, "\(TestPostgres.obstacle ?? "")"))
struct HubJobTests {
  private let test: TestHub
  private let lease = Duration.seconds(60)

  init() throws { test = try TestHub() }

  private func request(_ scenario: String = "work") -> JobRequest {
    JobRequest(
      repository: "https://example.org/a.git", base: "v1", candidate: "v2", scenario: scenario)
  }

  private func take(_ hub: Hub, _ runner: String = "a", classes: [String] = []) throws -> Job? {
    try hub.take(as: runner, classes: classes, lease: lease)
  }

  /// Lets the leases of all running jobs end.
  private func endLeases() throws {
    try test.sql(
      "UPDATE perfkit.jobs SET lease_until = now() - interval '1 second' WHERE state = 'running'")
  }

  private func events(_ hub: Hub, _ number: Int) throws -> [String] {
    try hub.events(ofJob: number).map(\.name)
  }

  @Test func `a job is submitted, taken, kept and finished once`() throws {
    let hub = try test.hub()
    var wanted = request()
    (wanted.variant, wanted.maxPairs, wanted.maxTime) = ("plain", 20, 5_000_000_000)
    (wanted.isQuick, wanted.isProfiled) = (true, false)
    let number = try hub.submit(wanted, priority: 3)
    let waiting = try hub.job(number)
    #expect(waiting.state == .waiting && waiting.request == wanted && waiting.priority == 3)
    #expect(waiting.submittedBy == "postgres" && waiting.attempts == 0)
    let job = try #require(try take(hub))
    #expect(job.number == number && job.state == .running && job.runner == "a")
    #expect(try take(hub, "b") == nil)
    guard case .held = try hub.extendLease(of: job, by: lease) else {
      Issue.record("the lease is not held")
      return
    }
    #expect(try hub.finish(job, .done, comparison: "cr1", status: 1, message: "Regressed."))
    let done = try hub.job(number)
    #expect(done.state == .done && done.comparison == "cr1" && done.status == 1)
    #expect(done.message == "Regressed.")
    #expect(try !hub.finish(job, .failed))
    #expect(try hub.job(number) == done)
    #expect(try events(hub, number) == ["submitted", "taken", "done"])
  }

  @Test func `jobs of a higher priority come first, equal ones in order`() throws {
    let hub = try test.hub()
    let numbers = try [0, 5, 0, 5].map { try hub.submit(request(), priority: $0) }
    let taken = try (0..<4).compactMap { try take(hub, "runner \($0)")?.number }
    #expect(taken == [numbers[1], numbers[3], numbers[0], numbers[2]])
    #expect(try take(hub) == nil)
  }

  @Test func `a job for a class of machines waits for one of them`() throws {
    let hub = try test.hub()
    let rack = try hub.submit(request("a"), machine: "rack", priority: 9)
    let any = try hub.submit(request("b"))
    #expect(try take(hub, "laptop", classes: ["laptop", "host"])?.number == any)
    #expect(try take(hub, "laptop 2", classes: ["laptop"]) == nil)
    #expect(try take(hub, "rack 1", classes: ["host", "rack"])?.number == rack)
  }

  @Test func `a class with any characters is one class`() throws {
    let hub = try test.hub()
    // A quotation mark with an accent is one Character; the others end an element of an array.
    let classes = ["a\"\u{301}", "b\\", "c,d", "{e}", "f\" "]
    let numbers = try classes.map { try hub.submit(request(), machine: $0) }
    #expect(try take(hub, classes: ["a", "b", "c", "d", "e", "f"]) == nil)
    for (name, number) in zip(classes, numbers) {
      #expect(try take(hub, classes: [name])?.number == number)
    }
  }

  @Test func `a job whose runner died is taken again, and each loss is recorded`() throws {
    let hub = try test.hub()
    let number = try hub.submit(request())
    let first = try #require(try take(hub, "a"))
    try endLeases()
    let second = try #require(try take(hub, "b"))
    #expect(second.number == number && second.attempts == 2)
    // The first runner was only slow: it has lost the job, and changes nothing.
    guard case .lost = try hub.extendLease(of: first, by: lease) else {
      Issue.record("the first runner still has the lease")
      return
    }
    #expect(try !hub.finish(first, .done, comparison: "cr1"))
    #expect(try hub.finish(second, .done, comparison: "cr2"))
    #expect(try hub.job(number).comparison == "cr2")
    #expect(
      try hub.events(ofJob: number).map { "\($0.name) \($0.runner ?? "-")" }
        == ["submitted -", "taken a", "lease lost a", "taken b", "done b"])
  }

  @Test func `a job that ends three runners fails`() throws {
    let hub = try test.hub()
    let number = try hub.submit(request())
    for runner in ["a", "b", "c"] {
      #expect(try take(hub, runner)?.number == number)
      try endLeases()
    }
    #expect(try take(hub, "d") == nil)
    let job = try hub.job(number)
    #expect(job.state == .failed && job.attempts == 3)
    #expect(job.message == "its runners ended 3 times without a result")
  }

  @Test func `the latest finished jobs are kept, and all waiting and running ones`() throws {
    let hub = try test.hub()
    let numbers = try (0..<6).map { _ in try hub.submit(request()) }
    for state in [Job.State.done, .failed, .done] {
      let job = try #require(try take(hub))
      #expect(try hub.finish(job, state))
    }
    let running = try #require(try take(hub))
    _ = try hub.cancel(numbers[5])
    // Finished are 0, 1, 2 and 5; 3 runs and 4 waits.
    #expect(running.number == numbers[3])
    #expect(try hub.prune(HubRetention(profiles: 0)).jobs == [])
    #expect(try hub.prune(HubRetention(runs: 2)).jobs == [numbers[0], numbers[1]])
    #expect(try hub.jobs(limit: 9).map(\.number) == [5, 4, 3, 2].map { numbers[$0] })
    #expect(try test.count("job_events WHERE job = \(numbers[0])") == 0)
    #expect(try hub.prune(HubRetention(runs: 0)).jobs == [numbers[2], numbers[5]])
    #expect(try hub.finish(running, .done))
    #expect(try take(hub)?.number == numbers[4])
  }

  @Test func `jobs that were submitted later than a moment are kept`() throws {
    let hub = try test.hub()
    let numbers = try (0..<2).map { _ in try hub.submit(request()) }
    for number in numbers { _ = try hub.cancel(number) }
    try test.sql(
      "UPDATE perfkit.jobs SET submitted = '2026-10-31T23:59:59Z' WHERE id = \(numbers[0])")
    // 2026-11-01T00:00:00Z
    let moment = Timestamp(milliseconds: 1_793_491_200_000)
    #expect(try hub.prune(HubRetention(runs: 0, since: moment)).jobs == [numbers[0]])
  }

  @Test func `shards are pruned a week after they were pushed`() throws {
    let hub = try test.hub()
    for gate in ["old", "new"] {
      try hub.push(HubShard(number: 1, count: 1, content: [1]), ofGate: gate)
    }
    try test.sql(
      "UPDATE perfkit.shards SET pushed = now() - interval '8 days' WHERE gate = 'old'")
    _ = try hub.prune(HubRetention(profiles: 0))
    #expect(try test.count("shards") == 2)
    _ = try hub.prune(HubRetention(runs: 100))
    #expect(try test.sql("SELECT gate FROM perfkit.shards") == "new")
  }

  @Test func `a job that a runner gives back is taken again without a loss`() throws {
    let hub = try test.hub()
    let number = try hub.submit(request())
    for runner in ["a", "b", "c", "d"] {
      let job = try #require(try take(hub, runner))
      #expect(job.attempts == 1)
      #expect(try hub.finish(job, .waiting, message: "The runner was stopped."))
    }
    #expect(try hub.job(number).state == .waiting)
  }

  @Test func `a waiting job is cancelled at once and a running one at its next sign of life`()
    throws
  {
    let hub = try test.hub()
    let (first, second) = (try hub.submit(request()), try hub.submit(request()))
    #expect(try hub.cancel(second).state == .cancelled)
    let job = try #require(try take(hub))
    #expect(job.number == first)
    #expect(try hub.cancel(first).state == .running)
    guard case .stopping = try hub.extendLease(of: job, by: lease) else {
      Issue.record("the runner is not told to stop")
      return
    }
    #expect(try hub.finish(job, .cancelled))
    #expect(try hub.cancel(first).state == .cancelled)
    #expect(try take(hub) == nil)
    #expect(try events(hub, first) == ["submitted", "taken", "cancelled", "cancelled"])
    #expect(throws: HubError.unknownJob(hub: hub.name, number: 99)) { try hub.cancel(99) }
  }

  @Test func `a cancelled job whose runner died is cancelled`() throws {
    let hub = try test.hub()
    let number = try hub.submit(request())
    _ = try take(hub)
    _ = try hub.cancel(number)
    try endLeases()
    #expect(try take(hub, "b") == nil)
    #expect(try hub.job(number).state == .cancelled)
  }

  @Test func `many runners at the same time take each job once`() async throws {
    let hub = try test.hub()
    for _ in 0..<60 { _ = try hub.submit(request()) }
    let test = test
    let taken = try await withThrowingTaskGroup(of: [Int].self) { group in
      for runner in 0..<8 {
        group.addTask {
          let hub = try test.hub()
          var numbers: [Int] = []
          while let job = try hub.take(as: "runner \(runner)", classes: [], lease: .seconds(60)) {
            numbers.append(job.number)
            #expect(try hub.finish(job, .done))
          }
          return numbers
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.sorted() == Array(1...60))
    #expect(try hub.jobs([.done], limit: 100).count == 60)
  }

  @Test func `a list of jobs has the latest of the wanted states first`() throws {
    let hub = try test.hub()
    let numbers = try (0..<4).map { _ in try hub.submit(request()) }
    _ = try hub.cancel(numbers[1])
    #expect(try hub.jobs(limit: 3).map(\.number) == Array(numbers.reversed().prefix(3)))
    #expect(try hub.jobs([.cancelled], limit: 3).map(\.number) == [numbers[1]])
    #expect(
      try hub.jobs([.waiting, .cancelled], limit: 9).map(\.number) == numbers.reversed())
  }

  @Test func `a writer submits and performs jobs, and a reader only lists them`() throws {
    for role in ["queuewriter", "queuereader"] {
      try test.postgres.psql("CREATE ROLE \(role) LOGIN")
    }
    _ = try Hub.initialise(
      HubAddress(test.url), writers: ["queuewriter"], readers: ["queuereader"],
      isCancelled: { false })
    let writer = try test.hub(user: "queuewriter")
    let number = try writer.submit(request())
    let job = try #require(try take(writer))
    #expect(try writer.finish(job, .done))
    let reader = try test.hub(user: "queuereader")
    #expect(try reader.job(number).state == .done)
    #expect(throws: HubError.self) { try reader.submit(request()) }
    #expect(throws: HubError.self) { try take(reader) }
  }
}
