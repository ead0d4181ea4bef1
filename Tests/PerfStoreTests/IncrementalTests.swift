import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct IncrementalTests {
  private let run = SampleRuns.run(launches: 3, warmup: 1, samples: 300, fling: 500, label: "x")

  /// The run before its first launch.
  private var beginning: Run {
    run.with(
      environment: Environment(facts: ["host": "sample"]),
      definitions: MetricCatalog.standardDefinitions, launches: [], profile: .some(nil),
      warnings: [])
  }

  @Test func `a run that is saved in steps equals the run saved at once`() throws {
    let store = try RunStore.inMemory()
    try store.begin(beginning)
    for launch in run.launches { try store.append(launch, to: run.id) }
    try store.finish(run)
    expectEqual(try store.run(id: run.id), run)
    #expect(try store.headers().map(\.state) == [.finished])
  }

  @Test func `an unfinished run is readable and counts as interrupted`() throws {
    let store = try RunStore.inMemory()
    try store.begin(beginning)
    #expect(try store.run(id: run.id).launches.isEmpty)
    for launch in run.launches.prefix(2) { try store.append(launch, to: run.id) }
    let loaded = try store.run(id: run.id)
    #expect(loaded.wasInterrupted)
    #expect(loaded.launches.map(\.frames) == run.launches.prefix(2).map(\.frames))
    #expect(loaded.profile == nil)
    #expect(loaded.definitions == run.definitions)
    let header = try #require(try store.headers().first)
    #expect(header.state == .running)
    #expect(header.completed == 1)
    #expect(header.samples == nil)
  }

  @Test func `finishing a run saves its missing launches`() throws {
    let store = try RunStore.inMemory()
    try store.begin(beginning)
    try store.append(run.launches[0], to: run.id)
    let stopped = run.with(wasInterrupted: true)
    try store.finish(stopped)
    expectEqual(try store.run(id: run.id), stopped)
    #expect(try store.headers().map(\.state) == [.interrupted])
  }

  @Test func `a reopened run is unfinished and lacks its interrupted launches`() throws {
    let store = try RunStore.inMemory()
    let stopped = SampleRuns.run(
      launches: 3, warmup: 1, samples: 300, fling: 500,
      statuses: [2: .failed("no"), 3: .interrupted],
      wasInterrupted: true)
    try store.save(stopped)
    let again = RunWarning(code: "again", message: "A second session.", remedy: "Compare.")
    #expect(try store.reopen(stopped.id, adding: again) == [0, 1, 2])
    #expect(try store.headers().map(\.state) == [.running])
    // Its profile is kept until the run is finished.
    let reopened = try store.run(id: stopped.id)
    #expect(reopened.launches.map(\.index) == [0, 1, 2])
    #expect(reopened.profile?.counts == stopped.profile?.counts)
    #expect(reopened.warnings == stopped.warnings + [again])
    #expect(throws: StoreError.unknownRun(id: "none")) { try store.reopen("none", adding: again) }
  }

  @Test func `appending a launch to an unknown run throws an error`() throws {
    let store = try RunStore.inMemory()
    #expect(throws: StoreError.unknownRun(id: run.id)) {
      try store.append(run.launches[0], to: run.id)
    }
    #expect(throws: StoreError.unknownRun(id: run.id)) { try store.finish(run) }
  }

  @Test func `a killed process loses no saved launch`() async throws {
    let folder = try TemporaryFolder()
    let path = folder("killed.sqlite")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let run = SampleRuns.run(launches: 3, warmup: 1, samples: 0, fling: 500)
      let store = try RunStore(path: path)
      try store.begin(run.with(launches: []))
      try store.append(run.launches[0], to: run.id)
      try store.append(run.launches[1], to: run.id)
      kill(getpid(), SIGKILL)
    }
    let expected = SampleRuns.run(launches: 3, warmup: 1, samples: 0, fling: 500)
    let store = try RunStore(path: path, access: .reading)
    let loaded = try store.run(id: expected.id)
    #expect(loaded.wasInterrupted)
    #expect(loaded.launches.map(\.metrics) == expected.launches.prefix(2).map(\.metrics))
    #expect(try store.check() == [])
  }
}
