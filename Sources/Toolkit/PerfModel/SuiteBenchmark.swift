/// A benchmark of a package-benchmark suite, which a launch of the suite's program runs alone.
public struct SuiteBenchmark: Hashable, Sendable {
  /// The name of the suite's program, which is that of its target.
  public let target: String
  /// The benchmark's name.
  public let name: String
  /// The benchmark as its program lists it: a JSON object, which the request to run it returns.
  public let listing: String
  /// The metrics that the benchmark itself defines.
  public let custom: [Custom]

  /// A metric that a benchmark defines.
  public struct Custom: Hashable, Sendable {
    /// The name in the suite.
    public let name: String
    /// The direction in which it improves.
    public let direction: Direction

    /// The name of PerfKit's metric, of lower-case letters, digits and underscores.
    public fileprivate(set) var metricName: String

    /// Creates a metric.
    public init(name: String, direction: Direction) {
      self.name = name
      self.direction = direction
      let words = name.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
      metricName =
        "benchmark.custom."
        + (words.isEmpty ? "metric" : words.joined(separator: "_").lowercased())
    }
  }

  /// Creates a benchmark; metrics whose names become equal in PerfKit get numbers.
  public init(target: String, name: String, listing: String, custom: [Custom]) {
    self.target = target
    self.name = name
    self.listing = listing
    var known: Set<String> = []
    self.custom = custom.map { metric in
      var distinct = metric
      var number = 1
      while !known.insert(distinct.metricName).inserted {
        number += 1
        distinct.metricName = "\(metric.metricName)_\(number)"
      }
      return distinct
    }
  }

  /// The definitions of the metrics of its launches.
  public var definitions: [MetricDefinition] {
    Self.definitions
      + custom.map { metric in
        MetricDefinition(
          name: metric.metricName, dimension: .count, direction: metric.direction,
          scale: .difference,
          summary: "'\(metric.name)', defined by the benchmark: median of the iterations.")
      }
  }

  private static let definitions = [
    MetricDefinition(
      name: MetricName.benchmarkTime, dimension: .time, direction: .lower, scale: .ratio,
      summary: "Wall time of one operation of the benchmark: median of the iterations."),
    MetricDefinition(
      name: MetricName.benchmarkAllocations, dimension: .count, direction: .lower, scale: .ratio,
      summary: "Allocations of the launch for each operation, those of its start included "
        + "(--allocations)."),
    MetricDefinition(
      name: MetricName.benchmarkIterations, dimension: .count, direction: .neutral,
      scale: .difference,
      summary: "Measured iterations; the suite limits their number or their time."),
  ]

  /// The target and the name, as package-benchmark shows them.
  public var title: String { "\(target)/\(name)" }
}
