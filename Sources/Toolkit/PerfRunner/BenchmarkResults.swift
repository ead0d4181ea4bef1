internal import PerfModel

/// The times of the benchmarks in a result file of another tool.
///
/// The forms are documented in Google Benchmark's `docs/user_guide.md`, in pytest-benchmark's
/// `storage` and in hyperfine's `--export-json`; swift-benchmark's is that of its `JSONReporter`.
struct BenchmarkResults {
  private struct Entry {
    /// The names of the benchmark.
    let names: [String]
    /// Nanoseconds; nil if the benchmark failed.
    let time: Double?
    /// The number of a repetition; nil if the benchmark is not repeated.
    let repetition: Double?
  }

  private let entries: [Entry]

  /// Reads the benchmarks of a parsed file; other contents have none.
  init(_ tool: Scenario.CommandMetric.Tool, _ content: ReportedJSON) {
    let list = content[tool == .hyperfine ? "results" : "benchmarks"]?.elements ?? []
    entries = list.map { entry in
      switch tool {
      case .googleBenchmark:
        let unit = entry["time_unit"]?.text.flatMap(Unit.named) ?? .nanoseconds
        let hasFailed = if case .flag(true)? = entry["error_occurred"] { true } else { false }
        return Entry(
          names: [entry["name"]?.text].compactMap(\.self),
          time: hasFailed ? nil : entry["real_time"]?.number.map { $0 * unit.factor },
          repetition: entry["repetition_index"]?.number)
      case .pytestBenchmark:
        return Entry(
          names: [entry["name"]?.text, entry["fullname"]?.text].compactMap(\.self),
          time: entry["stats"]?["median"]?.number.map { $0 * 1e9 }, repetition: nil)
      case .hyperfine:
        return Entry(
          names: [entry["command"]?.text].compactMap(\.self),
          time: entry["median"]?.number.map { $0 * 1e9 }, repetition: nil)
      case .swiftBenchmark:
        return Entry(
          names: [entry["name"]?.text].compactMap(\.self), time: entry["time"]?.number,
          repetition: nil)
      }
    }
  }

  /// Returns the time of a benchmark in nanoseconds, of repetitions the median.
  ///
  /// - Parameter name: The name; nil for the only benchmark.
  /// - Returns: Nanoseconds.
  /// - Throws: `CommandMetricReader.Problem` if there is not exactly one benchmark with the name.
  func time(of name: String?) throws(CommandMetricReader.Problem) -> Double {
    let known = Set(entries.compactMap(\.names.first)).sorted()
    guard let wanted = name ?? (known.count == 1 ? known[0] : nil) else {
      throw CommandMetricReader.Problem(
        known.isEmpty
          ? "contains no benchmarks" : "contains several benchmarks: name one of them as `key`")
    }
    let found = entries.filter { $0.names.contains(wanted) }
    guard let first = found.first else {
      throw CommandMetricReader.Problem(
        "has no benchmark '\(wanted)'" + NearestName.hint(for: wanted, among: known))
    }
    guard found.count == 1 || Set(found.compactMap(\.repetition)).count == found.count else {
      throw CommandMetricReader.Problem("contains '\(first.names[0])' \(found.count) times")
    }
    let times = found.compactMap(\.time).sorted()
    guard times.count == found.count else {
      throw CommandMetricReader.Problem("has no time of '\(wanted)': the benchmark failed")
    }
    return (times[(times.count - 1) / 2] + times[times.count / 2]) / 2
  }
}
