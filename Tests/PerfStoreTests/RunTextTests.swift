import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

/// The texts of runs are read as `JSONDecoder` reads them.
struct RunTextTests {
  private let model = SampleRuns.run(
    launches: 3, samples: 0, fling: 0, label: "nächtlich", id: "one1")
  private let reader = RunTextReader()

  private func run(
    _ metrics: [[String: Double]], definitions: [MetricDefinition]? = nil
  ) -> Run {
    Run(
      id: model.id, scenario: model.scenario, variant: model.variant, label: model.label,
      started: model.started, seed: model.seed, parameters: model.parameters,
      command: model.command, environment: model.environment,
      definitions: definitions ?? model.definitions,
      launches: metrics.enumerated().map { index, metrics in
        Launch(
          index: index, isWarmup: index == 0, status: .completed, offset: UInt64(index),
          metrics: metrics, began: index == 0 ? nil : UInt64.max / 2)
      },
      budgets: model.budgets, profile: nil, warnings: model.warnings, wasInterrupted: false)
  }

  private func isSame(_ first: Run?, _ second: Run?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return RunRecord(first).isSameMeasurement(as: RunRecord(second))
  }

  @Test func `a run is read from its text`() throws {
    let text = try RunText(model)
    #expect(RunTextScanner.parts(of: text.json)?.launches.count == model.launches.count)
    let read = try reader.run(text, from: "a test")
    #expect(isSame(read, model))
  }

  @Test func `launches that failed are read, too`() throws {
    let failed = SampleRuns.run(
      launches: 3, samples: 0, fling: 0, id: "one1",
      statuses: [1: .crashed(signal: 11), 2: .failed("it is \"broken\"")])
    let read = try reader.run(RunText(failed), from: "a test")
    #expect(isSame(read, failed))
  }

  @Test func `launches may have other metrics than the launch before`() throws {
    let run = run([["a": 1, "b": 2], [:], ["b": 3, "wall": .nan], ["wall": 4, "größe": 5]])
    let read = try reader.run(RunText(run), from: "a test")
    #expect(isSame(read, run))
  }

  @Test func `every bit of a value is read`() throws {
    var values: [Double] = [
      0, -0.0, 0.1, 1e-5, 1e16, 1e22, -1e99, 9_007_199_254_740_991, 0x1p53 + 2,
    ]
    var random = SampleRandom(seed: 3)
    for scale in [1e-30, 1e-9, 1e-3, 1, 1e3, 1e6, 1e12, 1e20] {
      for _ in 0..<200 { values.append((random.unit() - 0.5) * scale) }
    }
    let metrics = Dictionary(
      uniqueKeysWithValues: values.enumerated().map { ("m\($0.offset)", $0.element) })
    let text = try RunText(run([metrics]))
    #expect(RunTextScanner.parts(of: text.json) != nil)
    let read = try #require(try reader.run(text, from: "a test").launches.first)
    for (name, value) in metrics { #expect(read.metrics[name]?.bitPattern == value.bitPattern) }
  }

  @Test func `a list of definitions is not taken for another list of its length`() throws {
    for summary in ["One.", "Two."] {
      let definition = MetricDefinition(
        name: "a", dimension: .time, direction: .lower, scale: .ratio, summary: summary)
      let read = try reader.run(
        RunText(run([["a": 1]], definitions: [definition])), from: "a test")
      #expect(read.definitions == [definition])
    }
  }

  @Test func `a changed text is read or refused as by JSONDecoder`() throws {
    let text = try RunText(
      run([["cpu.total": 1.5, "wall": 2e-7], ["cpu.total": 3, "wall": .nan]]))
    Mutation.each(of: [text.json], count: 600, seed: 12) { bytes in
      let changed = RunText(json: bytes)
      let expected = try? changed.record().run(allowsNaN: true)
      let read = try? reader.run(changed, from: "a test")
      #expect(isSame(read, expected))
    }
  }
}
