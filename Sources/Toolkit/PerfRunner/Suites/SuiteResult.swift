internal import Foundation
internal import PerfModel

/// The result of a benchmark in one launch of its suite.
struct SuiteResult {
  /// The measured iterations.
  let iterations: Int
  /// The operations of all iterations, those of the warm-up included.
  let operations: Double
  /// The metrics in base units, each the median of the iterations for one operation.
  let metrics: [String: Double]

  /// Reads the replies to a request to run a benchmark.
  ///
  /// - Parameters:
  ///   - messages: The replies.
  ///   - benchmark: The benchmark.
  /// - Throws: `SuiteMessages.Problem` if a result is missing.
  init(
    _ messages: [SuiteMessages.Message], of benchmark: SuiteBenchmark
  ) throws(SuiteMessages.Problem) {
    guard let reply = messages.first(where: { $0.kind == "result" }),
      let list = reply.content["results"] as? [[String: Any]]
    else {
      throw Self.missing("result", of: benchmark)
    }
    let results = list.compactMap(Result.init)
    guard let time = results.first(where: { $0.kind == "wallClock" }),
      let median = time.histogram.median
    else {
      throw Self.missing("time", of: benchmark)
    }
    iterations = time.histogram.total
    operations = Double(iterations + time.warmup) * time.scale
    var metrics = [
      MetricName.benchmarkTime: median / time.scale,
      MetricName.benchmarkIterations: Double(iterations),
    ]
    for metric in benchmark.custom {
      guard let result = results.first(where: { $0.custom == metric.name }),
        let median = result.histogram.median
      else { continue }
      metrics[metric.metricName] = median / (result.isScaled ? result.scale : 1)
    }
    self.metrics = metrics
  }

  private static func missing(
    _ part: String, of benchmark: SuiteBenchmark
  ) -> SuiteMessages.Problem {
    SuiteMessages.Problem(
      "it sent no \(part) of the benchmark '\(benchmark.name)' in the form of package-benchmark "
        + SuiteMessages.knownVersion)
  }

  /// The result of one metric.
  private struct Result {
    /// The case of `BenchmarkMetric`.
    let kind: String
    /// The name of a metric that the benchmark defines; nil for another metric.
    let custom: String?
    /// Whether the values of the metric belong to all operations of an iteration.
    let isScaled: Bool
    /// The operations of an iteration.
    let scale: Double
    /// The iterations of the warm-up.
    let warmup: Int
    let histogram: SuiteHistogram

    init?(_ object: [String: Any]) {
      guard let metric = object["metric"] as? [String: Any], let kind = metric.keys.first,
        let scale = object["scalingFactor"] as? Int, scale >= 1,
        let statistics = object["statistics"] as? [String: Any],
        let histogram = (statistics["histogram"] as? [String: Any]).flatMap(SuiteHistogram.init)
      else { return nil }
      let values = metric[kind] as? [String: Any] ?? [:]
      self.kind = kind
      custom = kind == "custom" ? values["_0"] as? String : nil
      isScaled = values["useScalingFactor"] as? Bool ?? true
      self.scale = Double(scale)
      warmup = min(max(0, object["warmupIterations"] as? Int ?? 0), 1 << 40)
      self.histogram = histogram
    }
  }
}

extension SuiteBenchmark {
  /// The requests of a launch that runs the benchmark alone.
  ///
  /// The suite's metrics are replaced by the wall clock and the benchmark's own ones: PerfKit measures
  /// the others itself, and a suite refuses to run with thresholds of metrics that it cannot measure.
  var requests: Data {
    var benchmark = Self.object(listing)
    var configuration = benchmark["configuration"] as? [String: Any] ?? [:]
    configuration["metrics"] =
      [["wallClock": [String: Any]()]] + Self.metrics(of: benchmark).filter { $0["custom"] != nil }
    benchmark["configuration"] = configuration
    return SuiteMessages.request("run", ["benchmark": benchmark]) + SuiteMessages.request("end")
  }

  /// Reads a benchmark of a listing; nil if it has no name.
  init?(_ content: [String: Any], target: String) {
    guard let benchmark = content["benchmark"] as? [String: Any],
      let name = benchmark["name"] as? String,
      let data = try? JSONSerialization.data(withJSONObject: benchmark, options: .sortedKeys)
    else { return nil }
    let custom = Self.metrics(of: benchmark).compactMap { metric -> Custom? in
      guard let values = metric["custom"] as? [String: Any], let name = values["_0"] as? String
      else { return nil }
      let isLarger = (values["polarity"] as? [String: Any])?["prefersLarger"] != nil
      return Custom(name: name, direction: isLarger ? .higher : .lower)
    }
    self.init(
      target: target, name: name, listing: String(decoding: data, as: UTF8.self), custom: custom)
  }

  private static func metrics(of benchmark: [String: Any]) -> [[String: Any]] {
    let configuration = benchmark["configuration"] as? [String: Any]
    return configuration?["metrics"] as? [[String: Any]] ?? []
  }

  private static func object(_ text: String) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
  }
}
