/// A piece of work that is measured, each time in a fresh process.
///
/// The harness runs three stages. `setup` makes what all iterations share, once a run and in a
/// process of its own. `init` makes ready in the process that is to be measured. `measure` is what
/// the metrics are about.
///
///     final class Scroll: Workload {
///       static let name = "book.scroll"
///       static let summary = "Flings through the library."
///       static let parameters: [ParameterDeclaration] = [
///         .int("books", default: 1000, in: 1...10_000, "Books in the library.")
///       ]
///
///       private let books: Int
///
///       init(_ context: PreparationContext) throws {
///         books = try context.parameters.int("books")
///       }
///
///       func measure(_ context: MeasurementContext) throws {
///         FrameClock(refresh: 120, paced: true).animate("fling", for: .seconds(4)) { frame in
///           frame.phase("layout") { ... }
///         }
///       }
///     }
public protocol Workload {
  /// Its name in scenario files: dotted, unique in its suite, as `book.scroll`.
  static var name: String { get }
  /// What it does, in one sentence.
  static var summary: String { get }
  /// The parameters that it takes; none unless said otherwise.
  static var parameters: [ParameterDeclaration] { get }
  /// The counters that it reports; none unless said otherwise.
  static var counters: [CounterDeclaration] { get }
  /// Whether it is measured from the start of its process, as a cold start is.
  static var startsAtLaunch: Bool { get }

  /// Makes what all iterations share, as data sets; makes nothing unless said otherwise.
  ///
  /// Runs in a process of its own that ends afterwards. It must find out by itself what of an
  /// earlier run can be used again.
  static func setup(_ context: SetupContext) throws -> SetupResult

  /// Makes ready for the measured phase; threads and caches that it starts are part of what is
  /// measured.
  init(_ context: PreparationContext) throws

  /// Does the work that is measured, on the main thread.
  mutating func measure(_ context: MeasurementContext) throws
}

extension Workload {
  /// No parameters.
  public static var parameters: [ParameterDeclaration] { [] }
  /// No counters.
  public static var counters: [CounterDeclaration] { [] }
  /// Measured from the harness's word on.
  public static var startsAtLaunch: Bool { false }

  /// Makes nothing.
  public static func setup(_ context: SetupContext) throws -> SetupResult { SetupResult() }
}
