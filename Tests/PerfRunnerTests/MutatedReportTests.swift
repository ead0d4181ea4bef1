import Foundation
import Glibc
import PerfModel
import PerfProtocol
import PerfTestSupport
import Testing

@testable import PerfProfile
@testable import PerfRunner

/// What measured programs report, with seeded changes and beyond the limits.
struct MutatedReportTests {
  private static let results = [
    #"{"benchmarks":[{"name":"parse","real_time":2.5,"time_unit":"ms","repetition_index":0},{"name":"sort","real_time":7,"error_occurred":true}]}"#,
    #"{"benchmarks":[{"name":"t","fullname":"f::t","stats":{"median":0.25}}]}"#,
    #"{"results":[{"command":"ls","median":0.5}]}"#,
    #"{"summary":{"requests":7,"rows":[{"time":1.5}]},"a.b":3}"#,
  ]

  private func metric(_ source: Scenario.CommandMetric.Source) -> Scenario.CommandMetric {
    Scenario.CommandMetric(
      definition: MetricDefinition(
        name: "m", dimension: .count, direction: .lower, scale: .difference, summary: ""),
      unit: .count, source: source)
  }

  @Test func `a changed metrics file has values or is refused`() throws {
    let folder = try TemporaryFolder()
    let path = folder("out.json")
    let sources: [Scenario.CommandMetric.Source] =
      [.file("out.json", key: "summary.rows.0.time"), .file("out.json", key: "a.b")]
      + Scenario.CommandMetric.Tool.allCases.map { .benchmark($0, file: "out.json", name: nil) }
    let reader = CommandMetricReader(output: "", directory: folder.path, began: timespec())
    try Mutation.each(of: Self.results.map { Array($0.utf8) }, count: 800, seed: 4) { bytes in
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      for source in sources {
        if let value = try? reader.values(of: [metric(source)])["m"] { #expect(value.isFinite) }
      }
    }
  }

  @Test func `a changed output has values or is refused`() throws {
    let output = "start\n{\"a\":{\"hits\":7}}\nparsed 1,250.5 rows in 2.5 ms\n"
    Mutation.each(of: [output], count: 1500, seed: 5) { text in
      let reader = CommandMetricReader(output: text, directory: "/", began: timespec())
      for source: Scenario.CommandMetric.Source in [
        .line(key: "a.hits"), .pattern("parsed ([0-9.,]+) rows"),
      ] {
        if let value = try? reader.values(of: [metric(source)])["m"] { #expect(value.isFinite) }
      }
    }
  }

  @Test func `a metrics file that is no file or too large is refused without reading it`() throws {
    let folder = try TemporaryFolder()
    let reader = CommandMetricReader(output: "", directory: folder.path, began: timespec())
    try #require(mkfifo(folder("out.json"), 0o600) == 0)
    let pipe = try #require(throws: CommandMetricReader.Problem.self) {
      try reader.values(of: [metric(.file("out.json", key: "a"))])
    }
    #expect(pipe.description.contains("is no file"))
    unlink(folder("out.json"))
    let file = open(folder("out.json"), O_WRONLY | O_CREAT, 0o600)
    #expect(ftruncate(file, CommandMetricReader.largestFile + 1) == 0)
    close(file)
    let large = try #require(throws: CommandMetricReader.Problem.self) {
      try reader.values(of: [metric(.file("out.json", key: "a"))])
    }
    #expect(large.description.contains("more than 67"), "\(large)")
  }

  @Test func `changed replies of a suite are a result or refused`() throws {
    let counts = [Int](repeating: 0, count: 4096).enumerated().map { $0.offset == 10 ? 3 : 0 }
    let histogram: [String: Any] = [
      "counts": counts, "subBucketHalfCountMagnitude": 10, "unitMagnitude": 0,
    ]
    let result: [String: Any] = [
      "metric": ["wallClock": [String: Any]()], "scalingFactor": 2, "warmupIterations": 1,
      "statistics": ["histogram": histogram],
    ]
    let reply = SuiteMessages.request("result", ["results": [result]])
    let benchmark = SuiteBenchmark(target: "T", name: "b", listing: "{}", custom: [])
    Mutation.each(of: [[UInt8](reply + SuiteMessages.request("end"))], count: 400, seed: 6) {
      bytes in
      guard let messages = try? SuiteMessages.replies(Data(bytes)),
        let result = try? SuiteResult(messages, of: benchmark)
      else { return }
      #expect(result.metrics.values.allSatisfy { $0.isFinite })
    }
  }

  @Test func `counters and names beyond the limits are left out with a warning`() throws {
    let counter = { (name: String) in
      Hello.Counter(
        name: name, unit: "count", direction: "lower", scale: nil, summary: nil,
        isDeterministic: nil)
    }
    let long = String(repeating: "a", count: 201)
    let hello = Hello(
      suite: "S", build: Hello.Build(configuration: "release", compiler: "6.3"),
      workloads: [
        Hello.Workload(
          name: "w", summary: nil, startsAtLaunch: nil,
          parameters: [
            Hello.Parameter(
              name: long, kind: .int, defaultValue: .int(1), summary: nil)
          ], counters: (0..<1200).map { counter("c\($0)") } + [counter(long)]),
        Hello.Workload(
          name: long, summary: nil, startsAtLaunch: nil, parameters: nil, counters: nil),
      ])
    let description = try WorkerDescription(hello)
    #expect(description.workloads.map(\.name) == ["w"])
    #expect(description.workloads[0].counters.count == 1000)
    #expect(description.workloads[0].parameters.isEmpty)
    // 201 counters, a parameter and a workload.
    let warning = try #require(description.warning(of: hello))
    #expect(warning.message.hasPrefix("203 workloads, parameters or counters"))
    let small = Hello(
      suite: "S", build: Hello.Build(configuration: nil, compiler: nil),
      workloads: [
        Hello.Workload(
          name: "w", summary: nil, startsAtLaunch: nil, parameters: nil, counters: [counter("c")])
      ])
    #expect(try WorkerDescription(small).warning(of: small) == nil)
  }

  @Test func `series beyond the limits are left out with a warning`() {
    func values(_ count: Int, names: Int) -> [Capture.Value] {
      (0..<count).map {
        Capture.Value(name: "c\($0 % names)", thread: 1, time: 100 + UInt64($0), value: Double($0))
      }
    }
    let few = LaunchSeries(values(10, names: 2), from: 100, declared: [])
    #expect(few.series.map(\.name) == ["c0", "c1"])
    #expect(few.series[0].times == [0, 2, 4, 6, 8])
    #expect(few.warnings.isEmpty)
    let long = LaunchSeries(values(250_003, names: 1), from: 100, declared: [])
    #expect(long.series.map(\.times.count) == [250_000])
    #expect(long.warnings.map(\.code) == ["series.left_out"])
    #expect(long.warnings[0].message.hasPrefix("3 values of 1 counters"))
    let many = LaunchSeries(values(2400, names: 1200), from: 100, declared: [])
    #expect(many.series.count == 1000)
    #expect(many.warnings[0].message.hasPrefix("400 values of 1,200 counters"))
  }
}
