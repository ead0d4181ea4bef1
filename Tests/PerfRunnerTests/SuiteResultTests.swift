import Foundation
import PerfModel
import Testing

@testable import PerfRunner

/// The protocol and the histograms of package-benchmark.
struct SuiteResultTests {
  private func histogram(_ counts: [Int: Int], size: Int = 4096) throws -> SuiteHistogram {
    var list = [Int](repeating: 0, count: size)
    for (index, count) in counts { list[index] = count }
    return try #require(
      SuiteHistogram(["counts": list, "subBucketHalfCountMagnitude": 10, "unitMagnitude": 0]))
  }

  // By Histogram.swift of hdrhistogram-swift: indices 0 to 2047 are values; the next 1024 stand for two
  // values each from 2048, the next 1024 for four each from 4096.
  @Test(arguments: [
    (0, 0.0), (1, 1), (1023, 1023), (1024, 1024), (2047, 2047), (2048, 2048.5), (3071, 4094.5),
    (3072, 4097.5), (4095, 8189.5),
  ])
  func `an index of the histogram stands for the middle of its values`(
    index: Int, value: Double
  ) throws {
    #expect(try histogram([index: 1]).median == value)
  }

  @Test func `the median is the lower of two middle values`() throws {
    #expect(try histogram([10: 1, 20: 1]).median == 10)
    #expect(try histogram([10: 1, 20: 2]).median == 20)
    #expect(try histogram([:]).median == nil)
  }

  @Test(
    arguments: [
      ["counts": [1], "subBucketHalfCountMagnitude": 10],
      ["counts": [-1], "subBucketHalfCountMagnitude": 10, "unitMagnitude": 0],
      ["counts": [1], "subBucketHalfCountMagnitude": 10, "unitMagnitude": 60],
      [
        "counts": [Int](repeating: 0, count: 200), "subBucketHalfCountMagnitude": 1,
        "unitMagnitude": 0,
      ],
    ] as [[String: any Sendable]])
  func `an impossible histogram is refused`(object: [String: any Sendable]) {
    #expect(SuiteHistogram(object) == nil)
  }

  @Test(
    arguments: [
      [1, 0, 0], [3, 0, 0, 0, 0, 0, 0, 0, 0x7B], [0, 0, 0, 0, 0, 0, 0, 0],
      [255, 255, 255, 255, 255, 255, 255, 255, 0x7B],
    ] as [[UInt8]])
  func `replies that are cut off or have an impossible length are refused`(bytes: [UInt8]) {
    #expect(throws: SuiteMessages.Problem.self) { try SuiteMessages.replies(Data(bytes)) }
  }

  @Test(arguments: ["[]", "{}", "{\"a\": 1, \"b\": 2}", "nonsense"])
  func `replies that are no messages are refused`(text: String) {
    let bytes = withUnsafeBytes(of: text.utf8.count) { Data($0) } + Data(text.utf8)
    #expect(throws: SuiteMessages.Problem.self) { try SuiteMessages.replies(bytes) }
  }

  @Test func `a request returns the listed benchmark with the wall clock and its own metrics`()
    throws
  {
    let own: [String: Any] = ["custom": ["_0": "Books", "polarity": ["prefersLarger": [:]]]]
    let listed: [String: Any] = [
      "name": "Decode",
      "configuration": ["metrics": [["mallocCountTotal": [:]], own], "maxIterations": 10],
    ]
    let benchmark = try #require(SuiteBenchmark(["benchmark": listed], target: "Suite"))
    #expect(benchmark.custom == [.init(name: "Books", direction: .higher)])
    let messages = try SuiteMessages.replies(benchmark.requests)
    #expect(messages.map(\.kind) == ["run", "end"])
    let sent = try #require(messages[0].content["benchmark"] as? [String: Any])
    let configuration = try #require(sent["configuration"] as? [String: Any])
    #expect(configuration["maxIterations"] as? Int == 10)
    let metrics = try #require(configuration["metrics"] as? [[String: Any]])
    #expect(metrics.flatMap(\.keys) == ["wallClock", "custom"])
  }

  @Test func `operations include the warm-up and the scaling factor`() throws {
    let counts = (0..<2048).map { $0 == 1500 ? 10 : 0 }
    let message = SuiteMessages.Message(
      kind: "result",
      content: [
        "results": [
          [
            "metric": ["wallClock": [:]], "scalingFactor": 1000, "warmupIterations": 2,
            "statistics": [
              "histogram": [
                "counts": counts, "subBucketHalfCountMagnitude": 10, "unitMagnitude": 0,
              ]
            ],
          ] as [String: Any]
        ]
      ])
    let benchmark = SuiteBenchmark(target: "Suite", name: "Decode", listing: "{}", custom: [])
    let result = try SuiteResult([message], of: benchmark)
    #expect(result.operations == 12_000)
    #expect(result.metrics == ["benchmark.time": 1.5, "benchmark.iterations": 10])
  }

  @Test func `a result without a time is refused`() {
    let benchmark = SuiteBenchmark(target: "Suite", name: "Decode", listing: "{}", custom: [])
    #expect(throws: SuiteMessages.Problem.self) { try SuiteResult([], of: benchmark) }
  }

  @Test func `suites are the targets that use the plugin`() {
    let manifest = """
      {"targets": [{"name": "A", "pluginUsages": [{"plugin": ["BenchmarkPlugin", null]}]},
        {"name": "B"}, {"name": "C", "pluginUsages": [{"plugin": ["Other", "p"]}]}]}
      """
    #expect(SuitePackage.targets(of: manifest) == ["A"])
    #expect(SuitePackage.targets(of: "no JSON") == nil)
  }
}
