import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

/// The values of launches with equal and with different metrics.
struct LaunchMetricsTests {
  private static let many = Dictionary(
    uniqueKeysWithValues: (0..<501).map { ("m\($0)", Double($0)) })

  /// Returns a run with the metrics of each launch.
  private func run(_ id: String, _ metrics: [[String: Double]]) -> Run {
    let model = SampleRuns.run(launches: 1, samples: 0, fling: 0, id: id)
    return Run(
      id: model.id, scenario: model.scenario, variant: model.variant, label: model.label,
      started: model.started, seed: model.seed, parameters: model.parameters,
      command: model.command, environment: model.environment, definitions: model.definitions,
      launches: metrics.enumerated().map { index, metrics in
        Launch(
          index: index, isWarmup: false, status: .completed, offset: UInt64(index),
          metrics: metrics, began: nil)
      },
      budgets: model.budgets, profile: nil, warnings: model.warnings, wasInterrupted: false)
  }

  private static let lists: [[[String: Double]]] = [
    [["a": 1, "b": 2], ["a": 3, "b": 4], ["b": 5, "a": 6]],
    [["a": 1, "b": 2], ["b": 3, "c": 4], ["b": 5, "c": .nan], ["a": 6, "b": 7]],
    [[:], [:], ["a": -0.0], ["a": .nan], [:]],
    [["warm": 1], ["z": 2, "y": 3], ["z": 4, "y": 5], ["warm": 6], ["z": 7, "y": 8]],
    // More values than one statement takes.
    [many, many, ["m0": 1]],
  ]

  private func expectStored(_ store: RunStore, _ runs: [Run]) throws {
    for run in runs {
      let read = try store.run(id: run.id)
      #expect(RunRecord(read).isSameMeasurement(as: RunRecord(run)), "\(run.id)")
    }
    #expect(try store.check() == [])
  }

  @Test(arguments: lists)
  func `a run is read with the metrics of each launch`(metrics: [[String: Double]]) throws {
    let store = try RunStore.inMemory()
    let run = run("one1", metrics)
    try store.save(run)
    try expectStored(store, [run])
  }

  @Test func `runs of one import keep the metrics of their launches`() throws {
    let store = try RunStore.inMemory()
    let runs = (Self.lists + Self.lists).enumerated().map { run("one\($0.offset)", $0.element) }
    var parts = [Array(runs.prefix(3)), Array(runs.dropFirst(3)), []][...]
    let transfer = try store.importItems(ExchangedItems(), from: "a test") {
      parts.removeFirst()
    }
    #expect(transfer.runs == runs.count)
    try expectStored(store, runs)
  }

  @Test func `an import with more lists of metrics than are remembered keeps all values`() throws {
    let store = try RunStore.inMemory()
    // Each pair of launches has another metric; the first ones return after the 40th.
    let names = (0..<40).map { "m\($0)" } + ["m0", "m1"]
    let run = run("one1", names.flatMap { name -> [[String: Double]] in [[name: 1], [name: 2]] })
    try store.save(run)
    try expectStored(store, [run])
  }
}
