import Foundation
import Glibc
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfRunner

/// The metrics that commands report in their output and in files.
struct CommandMetricReaderTests {
  private typealias Metric = Scenario.CommandMetric

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Reads one metric, and returns its value in base units.
  private func value(
    _ source: Scenario.CommandMetric.Source, unit: PerfModel.Unit = .count, output: String = "",
    file: String? = nil, began: timespec = timespec()
  ) throws -> Double? {
    if let file {
      try file.write(toFile: folder("out.json"), atomically: true, encoding: .utf8)
    }
    let metric = Metric(
      definition: MetricDefinition(
        name: "m", dimension: unit.dimension, direction: .lower,
        scale: unit.dimension == .time ? .ratio : .difference, summary: ""),
      unit: unit, source: source)
    return try CommandMetricReader(output: output, directory: folder.path, began: began)
      .values(of: [metric])["m"]
  }

  @Test func `the last match of a pattern counts, with its unit`() throws {
    let output = "load: 9 ms\nparsed in 1,250.5 ms\nparsed in 2.5 ms\n"
    #expect(
      try value(.pattern("parsed in ([0-9.,]+) ms"), unit: .milliseconds, output: output) == 2.5e6)
    #expect(try value(.pattern("[0-9,]+[.]5"), output: "1,250.5") == 1250.5)
  }

  @Test(arguments: ["2,5", "1,2345", ",250", "1250,000.5"])
  func `a comma that separates no thousands is no number`(text: String) throws {
    let error = try #require(throws: CommandMetricReader.Problem.self) {
      try value(.pattern("[0-9.,]+"), output: text)
    }
    #expect(
      error.description.contains("'\(text)' is no number: a comma separates thousands only"))
  }

  @Test func `the last JSON line with the key counts`() throws {
    let output = """
      start
      {"a": {"hits": 1}}
      {"a": {"hits": 7}, "b": 2}
      {broken
      {"b": 3}
      """
    #expect(try value(.line(key: "a.hits"), output: output) == 7)
  }

  @Test func `a key of a JSON file is a path of names and positions`() throws {
    let file = #"{"rows": [{"time": 1.5}, {"time": 2.5}], "a.b": {"c": -3}}"#
    #expect(try value(.file("out.json", key: "rows.1.time"), file: file) == 2.5)
    #expect(try value(.file("out.json", key: "a.b.c"), file: file) == -3)
  }

  /// The forms are those of the tools' documentation.
  @Test func `files of benchmark tools are read by the names of the benchmarks`() throws {
    let google = """
      {"context": {}, "benchmarks": [
        {"name": "BM_A", "run_type": "iteration", "repetition_index": 0, "real_time": 3.0,
         "cpu_time": 2.0, "time_unit": "us"},
        {"name": "BM_A", "run_type": "iteration", "repetition_index": 1, "real_time": 1.0,
         "cpu_time": 2.0, "time_unit": "us"},
        {"name": "BM_A", "run_type": "iteration", "repetition_index": 2, "real_time": 9.0,
         "cpu_time": 2.0, "time_unit": "us"},
        {"name": "BM_B", "run_type": "iteration", "real_time": 5, "time_unit": "ns"}]}
      """
    func benchmark(_ tool: Metric.Tool, _ name: String?, _ file: String) throws -> Double? {
      try value(
        .benchmark(tool, file: "out.json", name: name), unit: .nanoseconds, file: file)
    }
    // The median of 1, 3 and 9 microseconds.
    #expect(try benchmark(.googleBenchmark, "BM_A", google) == 3000)
    #expect(try benchmark(.googleBenchmark, "BM_B", google) == 5)
    let pytest = """
      {"benchmarks": [
        {"name": "test_a", "fullname": "b.py::test_a", "stats": {"median": 0.002, "mean": 9}}]}
      """
    #expect(try benchmark(.pytestBenchmark, "b.py::test_a", pytest) == 2e6)
    #expect(try benchmark(.pytestBenchmark, nil, pytest) == 2e6)
    let hyperfine = #"{"results": [{"command": "./a -x", "mean": 9, "median": 0.5}]}"#
    #expect(try benchmark(.hyperfine, "./a -x", hyperfine) == 5e8)
    let swift = """
      {"benchmarks": [
        {"name": "add string reserved", "time": 36.0, "std": 182.44, "iterations": 1000000},
        {"name": "add string", "time": 37.5, "std": 9.1, "iterations": 1000000}]}
      """
    #expect(try benchmark(.swiftBenchmark, "add string", swift) == 37.5)
  }

  @Test(arguments: [
    (Scenario.CommandMetric.Source.file("none.json", key: "a"), "{}", "No such file"),
    (
      .file("out.json", key: "a"), "{\"a\": NaN}",
      "is no valid JSON: a number cannot be NaN or Infinity"
    ),
    (.file("out.json", key: "a"), "{\"a\"", "is no valid JSON"),
    (.file("out.json", key: "b"), "{\"a\": 1}", "'out.json' has no 'b'"),
    (.file("out.json", key: "a"), "{\"a\": true}", "'a' in 'out.json' is no number"),
    (.file("out.json", key: "a"), "{\"a\": -1}", "-1.0 is no possible value"),
    (
      .benchmark(.hyperfine, file: "out.json", name: "b"),
      #"{"results": [{"command": "b", "median": 1}, {"command": "b", "median": 2}]}"#,
      "contains 'b' 2 times"
    ),
    (
      .benchmark(.hyperfine, file: "out.json", name: nil),
      #"{"results": [{"command": "a", "median": 1}, {"command": "b", "median": 2}]}"#,
      "contains several benchmarks"
    ),
    (
      .benchmark(.googleBenchmark, file: "out.json", name: "BM_Parse"),
      #"{"benchmarks": [{"name": "BM_Parsed", "real_time": 1}]}"#,
      "has no benchmark 'BM_Parse'; did you mean 'BM_Parsed'?"
    ),
    (
      .benchmark(.googleBenchmark, file: "out.json", name: "A"),
      #"{"benchmarks": [{"name": "A", "error_occurred": true, "error_message": "no"}]}"#,
      "has no time of 'A'"
    ),
    (.benchmark(.pytestBenchmark, file: "out.json", name: nil), "[]", "contains no benchmarks"),
    (.pattern("a ([0-9]+)"), "{}", "its output does not match"),
    (.pattern("(nan)"), "{}", "nan is no possible value"),
    (.line(key: "a"), "{}", "no line of its output is a JSON object with 'a'"),
    (.line(key: "c"), "{}", "with 'c' contains an object with the name 'c' twice"),
    (
      .file("out.json", key: "a.b"), #"{"a": {"b": 1, "c": 2, "b" : 3}}"#,
      "contains an object with the name 'b' twice"
    ),
  ])
  func `a metric without a possible value is reported with its name and place`(
    source: Scenario.CommandMetric.Source, file: String, message: String
  ) {
    let problem = #expect(throws: CommandMetricReader.Problem.self) {
      try value(
        source, unit: .nanoseconds, output: "b 1\nnan\n{}\n{\"c\": 1, \"c\": 2}", file: file)
    }
    #expect(problem?.description.hasPrefix("its metric 'm' cannot be read: ") == true)
    #expect(problem?.description.contains(message) == true, "\(problem?.description ?? "")")
  }

  @Test func `equal names in different objects, and equal texts, are no repeated name`() throws {
    let file = #"{"a": [{"b": 1}, {"b": 2}], "b": "a", "c\"": "c\\", "d": {"a": 3}}"#
    #expect(try value(.file("out.json", key: "d.a"), file: file) == 3)
    #expect(ReportedJSON.repeatedName(in: Array(#"{"a": {}, "b": ["a"], "a": 1}"#.utf8)) == "a")
  }

  /// Returns a file of a tool with a benchmark's time per entry.
  private static func file(
    of tool: Scenario.CommandMetric.Tool, _ entries: (name: String, time: String)...
  ) -> String {
    let list = entries.map { name, time in
      switch tool {
      case .googleBenchmark: #"{"name": "\#(name)", "real_time": \#(time), "time_unit": "ns"}"#
      case .pytestBenchmark: #"{"name": "\#(name)", "stats": {"median": \#(time)}}"#
      case .hyperfine: #"{"command": "\#(name)", "median": \#(time)}"#
      case .swiftBenchmark: #"{"name": "\#(name)", "time": \#(time)}"#
      }
    }
    let key = tool == .hyperfine ? "results" : "benchmarks"
    return #"{"\#(key)": [\#(list.joined(separator: ", "))]}"#
  }

  @Test(arguments: Scenario.CommandMetric.Tool.allCases)
  func `a tool's file without exactly one possible time is refused`(
    tool: Scenario.CommandMetric.Tool
  ) throws {
    func problem(_ content: String, at path: String = "out.json") -> String {
      let problem = #expect(throws: CommandMetricReader.Problem.self) {
        try value(
          .benchmark(tool, file: path, name: "A"), unit: .nanoseconds, file: content)
      }
      return problem?.description ?? ""
    }
    let valid = Self.file(of: tool, ("A", "1"), ("B", "2"))
    #expect(
      try value(
        .benchmark(tool, file: "out.json", name: "A"), unit: .nanoseconds, file: valid) != nil)
    #expect(problem(valid, at: "none.json").contains("No such file"))
    #expect(problem(String(valid.dropLast(2))).contains("is no valid JSON"))
    #expect(
      problem(Self.file(of: tool, ("A", "NaN"))).contains("a number cannot be NaN or Infinity"))
    #expect(problem(Self.file(of: tool, ("A", "-1"))).contains("is no possible value"))
    #expect(problem(Self.file(of: tool, ("A", "null"))).contains("has no time of 'A'"))
    #expect(problem(Self.file(of: tool, ("A", "1"), ("A", "2"))).contains("contains 'A' 2 times"))
    #expect(problem(Self.file(of: tool, ("B", "1"))).contains("has no benchmark 'A'"))
  }

  @Test func `a file of an earlier launch is refused`() throws {
    let problem = #expect(throws: CommandMetricReader.Problem.self) {
      // A launch in the year 2100 did not write the file.
      try value(
        .file("out.json", key: "a"), file: "{\"a\": 1}",
        began: timespec(tv_sec: 4_102_444_800, tv_nsec: 0))
    }
    #expect(problem?.description.contains("is older than the launch") == true)
  }
}
