extension Scenario {
  /// The surroundings of the launches of a command.
  public struct CommandSettings: Hashable, Sendable {
    /// The working directory, relative to the scenario's file; nil for the standard one.
    public var directory: String?
    /// The variables that are added to the environment.
    public var environment: [String: String]
    /// The file of standard input, relative to the working directory; nil for no input.
    public var input: String?
    /// A program with its arguments that runs before each launch; empty for none.
    public var prepare: [String]
    /// A program with its arguments that runs after each launch; empty for none.
    public var cleanup: [String]
    /// The exit statuses of a completed launch.
    public var acceptedExits: Set<Int32>
    /// Whether standard output is kept; otherwise it is discarded.
    public var keepsOutput: Bool
    /// The metrics that the command itself reports.
    public var metrics: [CommandMetric]
    /// The benchmark that each launch runs if the command is the program of a suite; nil otherwise.
    public var suite: SuiteBenchmark?

    /// Creates settings.
    public init(
      directory: String? = nil, environment: [String: String] = [:], input: String? = nil,
      prepare: [String] = [], cleanup: [String] = [], acceptedExits: Set<Int32> = [0],
      keepsOutput: Bool = false, metrics: [CommandMetric] = [], suite: SuiteBenchmark? = nil
    ) {
      self.directory = directory
      self.environment = environment
      self.input = input
      self.prepare = prepare
      self.cleanup = cleanup
      self.acceptedExits = acceptedExits
      self.keepsOutput = keepsOutput
      self.metrics = metrics
      self.suite = suite
    }

    /// The definitions of the metrics that the command itself reports.
    public var definitions: [MetricDefinition] {
      metrics.map(\.definition) + (suite?.definitions ?? [])
    }

    /// The settings in words; empty for the standard ones.
    ///
    /// Values of variables may be secrets, so they are represented by 16 bits of their checksum, which show
    /// most changes and almost nothing else.
    public var summary: [String] {
      func list(_ name: String, _ words: [String]) -> String? {
        words.isEmpty ? nil : "\(name) \(words.joined(separator: " "))"
      }
      return [
        list("in", [directory].compactMap(\.self)),
        list("with", variables),
        list("stdin", [input].compactMap(\.self)), list("prepare", prepare),
        list("cleanup", cleanup), keepsOutput ? "keeps its output" : nil,
        acceptedExits == [0] ? nil : list("accepts", acceptedExits.sorted().map(String.init)),
      ].compactMap(\.self)
    }

    /// The names of the variables, and a checksum of their values.
    private var variables: [String] {
      let sorted = environment.sorted { $0.key < $1.key }
      guard !sorted.isEmpty else { return [] }
      let values = sorted.map(\.value).joined(separator: "\u{0}")
      return sorted.map(\.key) + ["(\(StableHash.text(of: values).suffix(4)))"]
    }
  }

  /// A metric that a command reports in its output or in a file.
  public struct CommandMetric: Hashable, Sendable {
    /// A benchmark tool whose result files are read by the names of their benchmarks.
    public enum Tool: String, CaseIterable, Sendable {
      /// `--benchmark_out=FILE` of Google Benchmark.
      case googleBenchmark = "google-benchmark"
      /// `--benchmark-json=FILE` of pytest-benchmark.
      case pytestBenchmark = "pytest-benchmark"
      /// `--export-json FILE` of hyperfine.
      case hyperfine
      /// The output of `--format json` of google/swift-benchmark.
      case swiftBenchmark = "swift-benchmark"
    }

    /// The place of the value.
    public enum Source: Hashable, Sendable {
      /// The first group of the last match of a regular expression in the output.
      case pattern(String)
      /// A key of the last line of the output that is a JSON object with this key.
      case line(key: String)
      /// A key of a JSON file.
      case file(String, key: String)
      /// The median time of a benchmark in a tool's file; nil for the only benchmark.
      case benchmark(Tool, file: String, name: String?)

      /// Whether the value is in the output of the command.
      public var isOutput: Bool {
        switch self {
        case .pattern, .line: true
        case .file, .benchmark: false
        }
      }
    }

    /// The metric.
    public let definition: MetricDefinition
    /// The unit of the reported number.
    public let unit: Unit
    /// The place of the value.
    public let source: Source

    /// Creates a metric.
    public init(definition: MetricDefinition, unit: Unit, source: Source) {
      self.definition = definition
      self.unit = unit
      self.source = source
    }
  }
}

extension MetricCatalog {
  /// The metrics that only workers have: their process is read while it waits at the ends of the
  /// measured phase, and its workload declares counters.
  public static let neverOfCommands: Set<String> = [
    MetricName.cpuUser, MetricName.cpuSystem, MetricName.rssEnd, MetricName.pssEnd,
    MetricName.ioRead, MetricName.ioWrite, MetricName.runDelayWindow, MetricName.frameRunDelay,
    MetricName.cacheHitRatio, MetricName.cacheHits, MetricName.cacheMisses,
    MetricName.cacheEvictions, MetricName.cacheBytes, MetricName.cacheObjects,
  ]
}
