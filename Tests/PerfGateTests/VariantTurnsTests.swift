import Foundation
import PerfModel
import PerfRunner
import PerfStore
import PerfTestSupport
import Synchronization
import Testing

@testable import PerfGate

/// Variants that are measured in one invocation.
struct VariantTurnsTests {
  /// Measures both variants of the scenario `work`, and returns the runs and the order of the launches.
  private func measure(
    script: String, iterations: Int, warmup: Int = 0, hooks: String = ""
  ) throws -> (runs: [Result<Run, any Error>], order: [String], store: RunStore) {
    let folder = try TemporaryFolder()
    try TestMeasuring.writeScenario(in: folder, gate: "{ metrics: { wall: {} } }", script: script)
    let file = folder("Scenarios/work.yml")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try (text + "\n" + hooks).write(toFile: file, atomically: true, encoding: .utf8)
    let order = Mutex<[String]>([])
    let title = Mutex("")
    var settings = MeasuringSettings()
    settings.isProfiled = false
    (settings.iterations, settings.warmup) = (iterations, warmup)
    let measuring = TestMeasuring(in: folder, settings) { event in
      switch event {
      case .begin(let now, _, _), .turn(let now): title.withLock { $0 = now }
      case .run(.launching(let index, _, _)):
        let line = title.withLock { "\($0) \(index)" }
        order.withLock { $0.append(line) }
      default: break
      }
    }.measuring
    let store = try RunStore(path: folder(".perfkit/perfkit.sqlite"))
    let runs = try measuring.measure(
      measuring.runnable("work"), variants: ["a", "b"], into: store)
    return (runs, order.withLock(\.self), store)
  }

  @Test func `variants take turns, and every second round goes backwards`() throws {
    let (results, order, store) = try measure(script: "true", iterations: 2, warmup: 1)
    #expect(
      order == [
        "work:a 0", "work:b 0", "work:b 1", "work:a 1", "work:a 2", "work:b 2",
      ])
    let runs = try results.map { try $0.get() }
    #expect(runs.map(\.variant) == ["a", "b"])
    for run in runs {
      #expect(run.launches.map(\.index) == [0, 1, 2])
      #expect(run.launches.map(\.isWarmup) == [true, false, false])
      #expect(!run.wasInterrupted)
      #expect(try store.run(id: run.id).launches.count == 3)
    }
    #expect(try store.headers().map(\.state) == [.finished, .finished])
  }

  @Test func `a variant that fails does not end the others`() throws {
    // The third cleanup, that of launch 1 of variant b, fails: the variant makes no further launch.
    let (results, order, store) = try measure(
      script: "echo x >> log", iterations: 3,
      hooks: "cleanup: [/bin/sh, -c, 'test $(wc -l < log) -ne 3']")
    #expect(
      order == [
        "work:a 0", "work:b 0", "work:b 1", "work:a 1", "work:a 2", "work:b 2",
      ])
    #expect(try results[0].get().launches.map(\.status) == [.completed, .completed, .completed])
    #expect(throws: RunnerError.self) { try results[1].get() }
    let stored = try store.headers(RunFilter(variant: "b"))
    #expect(stored.map(\.completed) == [2])
    #expect(stored.map(\.state) == [.running])
  }
}
