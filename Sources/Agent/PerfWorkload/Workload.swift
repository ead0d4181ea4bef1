/// Work that PerfKit measures, each time in a fresh process.
///
/// A launch has two stages: `init` prepares the input, `measure` does the measured work. Before the
/// first launch of a run, `setup` creates the data that all launches share.
///
///     import PerfWorkload
///
///     @main
///     struct Sort: Workload {
///       static let name = "sort"
///       static let summary = "Sorts random numbers."
///
///       static let count = Parameter(
///         "count", default: 100_000, in: 1...10_000_000, "Numbers to sort.")
///       static let parameters: [any WorkloadParameter] = [count]
///
///       private var numbers: [UInt64]
///
///       init(_ context: PreparationContext) {
///         var generator = SeededGenerator(seed: context.seed)
///         numbers = (0..<context[Self.count]).map { _ in generator.next() }
///       }
///
///       mutating func measure(_ context: MeasurementContext) {
///         numbers.sort()
///       }
///     }
///
/// A program with several workloads lists them in a ``WorkloadSuite``. Work that calls asynchronous
/// functions is an ``AsyncWorkload``.
public protocol Workload: WorkloadDefinition {
  /// Does the measured work, on the main thread.
  ///
  /// - Throws: Any error; the launch is then reported as failed.
  mutating func measure(_ context: MeasurementContext) throws
}

/// Work with asynchronous functions that PerfKit measures, each time in a fresh process.
///
/// It differs from a ``Workload`` only in its `measure`, which PerfKit starts on the main actor.
public protocol AsyncWorkload: WorkloadDefinition {
  /// Does the measured work; begins on the main actor.
  ///
  /// - Throws: Any error; the launch is then reported as failed.
  mutating func measure(_ context: MeasurementContext) async throws
}

/// The common requirements of ``Workload`` and ``AsyncWorkload``.
///
/// Conform to ``Workload`` or ``AsyncWorkload``, not to this protocol.
public protocol WorkloadDefinition {
  /// The name in scenario files: dotted and unique in its suite, e.g. `book.scroll`.
  static var name: String { get }
  /// The purpose of the workload, in one sentence.
  static var summary: String { get }
  /// The parameters that scenario files can set; by default none.
  static var parameters: [any WorkloadParameter] { get }
  /// The counters that `measure` reports; by default none.
  static var counters: [CounterDeclaration] { get }
  /// Whether the measured phase begins with the start of the process, as for a cold start; by
  /// default false.
  static var startsAtLaunch: Bool { get }

  /// Creates the data that all launches of a run share, e.g. a database; by default nothing.
  ///
  /// PerfKit calls it once per run, in a process of its own. It can reuse files that an earlier run
  /// left in the context's `cacheDirectory`.
  ///
  /// - Throws: Any error; the run then fails.
  static func setup(_ context: SetupContext) throws -> SetupResult

  /// Prepares the measured phase.
  ///
  /// It runs in the measured process, so its threads and its memory count for the launch.
  ///
  /// - Throws: Any error; the launch is then reported as failed.
  init(_ context: PreparationContext) throws
}

extension WorkloadDefinition {
  /// No parameters.
  public static var parameters: [any WorkloadParameter] { [] }
  /// No counters.
  public static var counters: [CounterDeclaration] { [] }
  /// The measured phase begins after `init`.
  public static var startsAtLaunch: Bool { false }

  /// Creates nothing.
  public static func setup(_ context: SetupContext) throws -> SetupResult { SetupResult() }

  /// Runs the program as a worker with this single workload.
  ///
  /// It is the `main` function of a workload that is marked with `@main`.
  public static func main() {
    let path = CommandLine.arguments.first ?? name
    WorkloadSuite(name: String(path.split(separator: "/").last ?? "worker"), workloads: [Self.self])
      .main()
  }
}
