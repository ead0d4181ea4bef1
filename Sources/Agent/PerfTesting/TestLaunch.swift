internal import Glibc
internal import PerfWorkload
internal import Synchronization
internal import Testing

/// The launch of a test: a process that `perfkit` started to run one body.
enum TestLaunch {
  /// The environment variable with the id of the measured test.
  static let variable = "PERFKIT_TEST"
  /// The name of the only workload.
  static let workload = "test"

  private static let isServing = Atomic(false)

  /// Whether this process is a launch of the test, and an outer budget serves the harness already.
  static func hasBegun(_ test: Test) -> Bool {
    isServing.load(ordering: .relaxed) && isLaunch(of: test)
  }

  /// Returns the descriptor of the control channel for the first budget of the measured test; nil in
  /// other tests and other processes.
  static func channel(of test: Test) -> Int32? {
    guard isLaunch(of: test), let text = getenv("PERFKIT_CONTROL_FD"),
      let descriptor = Int32(String(cString: text)),
      !isServing.exchange(true, ordering: .relaxed)
    else { return nil }
    return descriptor
  }

  private static func isLaunch(of test: Test) -> Bool {
    getenv(variable).map { String(cString: $0) } == test.id.description
  }

  /// Runs the body as the measured phase of this process, which ends afterwards.
  ///
  /// - Throws: An error of the collection of issues, never the body's: the launch reports it.
  static func run(
    _ body: @concurrent @Sendable () async throws -> Void, of test: Test, _ testCase: Test.Case?,
    on channel: Int32
  ) async throws {
    let collector: IssueHandlingTrait = .compactMapIssues { issue in
      if issue.isFailure { TestBody.failures.withLock { $0.append("\(issue)") } }
      return issue
    }
    try await collector.provideScope(for: test, testCase: testCase) {
      await withoutActuallyEscaping(body) { body in
        TestBody.body.withLock { $0 = body }
        WorkloadSuite(name: "tests", workloads: [TestBody.self]).serve(on: channel)
        // The process ends with the measured phase, on the main actor.
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    }
  }
}

/// The body of the measured test as a workload.
private struct TestBody: AsyncWorkload {
  static let name = TestLaunch.workload
  static let summary = "Runs the body of a test."

  static let body = Mutex<(@concurrent @Sendable () async throws -> Void)?>(nil)
  static let failures = Mutex<[String]>([])

  private let body: (@concurrent @Sendable () async throws -> Void)?

  init(_ context: PreparationContext) {
    body = Self.body.withLock { $0 }
  }

  mutating func measure(_ context: MeasurementContext) async throws {
    try await body?()
    let failures = Self.failures.withLock { $0 }
    if !failures.isEmpty { throw FailedTest(failures: failures) }
  }

  private struct FailedTest: Error, CustomStringConvertible {
    let failures: [String]

    var description: String { failures.joined(separator: "\n") }
  }
}
