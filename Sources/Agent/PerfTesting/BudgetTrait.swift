public import Testing

extension Trait where Self == BudgetTrait {
  /// Fails a test that breaks a budget, such as `cpu.total <= 20 ms`.
  ///
  ///     @Test(.budget("cpu.total <= 20 ms", "alloc.count <= 100"))
  ///     func `an import parses a thousand lines`() throws {
  ///       try Importer().parse(lines)
  ///     }
  ///
  /// - Parameters:
  ///   - budgets: Budgets as in scenario files; `perfkit list metrics` prints the metrics and their
  ///     units.
  ///   - launches: The number of measured launches, from 6. The 95 % interval of their median decides.
  ///   - sourceLocation: The place at which issues are recorded.
  /// - Returns: The trait.
  public static func budget(
    _ budgets: String..., launches: Int = 10, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    BudgetTrait(budgets: budgets, launches: launches, sourceLocation: sourceLocation)
  }
}

/// A trait that runs the body of a test in fresh processes and judges its budgets.
///
/// The body does not run in the process of the other tests. `perfkit` launches the test program
/// again for each measurement, and the test runs there alone: the metrics are those of its body,
/// without its setup by other traits. A broken budget is recorded as a failure with its interval, an
/// undecided one as a warning. An expectation that fails in a launch fails the test. Budgets of one
/// test are measured together, and tests with budgets one after another. Other tests of the same
/// program disturb times: run them apart, or with `swift test --no-parallel`.
///
/// `perfkit` is the program that the variable PERFKIT names, or the one beside the test program, or
/// the one in PATH. With PERFKIT=off the body runs as that of any test and no budget is judged.
public struct BudgetTrait: TestTrait, TestScoping {
  let budgets: [String]
  let launches: Int
  let sourceLocation: SourceLocation

  /// Measures the test, or runs its body if this process is one of the launches.
  ///
  /// - Throws: The error of the body.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    if let channel = TestLaunch.channel(of: test) {
      try await TestLaunch.run(function, of: test, testCase, on: channel)
    } else if PerfkitProgram.isOff || TestLaunch.hasBegun(test) {
      try await function()
    } else if testCase?.isParameterized ?? false {
      Issue.record(
        """
        The budget of '\(test.name)' cannot be judged: a fresh process runs a test with all its \
        arguments. Write a test without arguments.
        """, sourceLocation: sourceLocation)
    } else {
      await BudgetRun(test: test).judge(at: sourceLocation)
    }
  }
}
