internal import Foundation
internal import Testing

/// The measurement of one test with all its budgets.
struct BudgetRun {
  private let test: Test
  private let budgets: [String]
  private let launches: Int

  /// Creates the measurement of a test with at least one `BudgetTrait`.
  init(test: Test) {
    self.test = test
    let traits = test.traits.compactMap { $0 as? BudgetTrait }
    budgets = traits.flatMap(\.budgets)
    launches = traits.map(\.launches).max() ?? 0
  }

  /// Measures the test when no other test is measured, and records what it breaks as issues.
  ///
  /// - Parameter location: The place of the trait.
  func judge(at location: SourceLocation) async {
    await Turn.shared.take()
    let result: Result<(status: Int32, output: String, errors: String), any Error>
    do {
      result = .success(try await measure())
    } catch {
      result = .failure(error)
    }
    await Turn.shared.give()
    switch result {
    case .success((status: 0, output: _, errors: _)): break
    case .success((status: 1, let output, errors: _)):
      Issue.record("A budget is broken.\n\(output)", sourceLocation: location)
    case .success((status: 3, let output, errors: _)):
      Issue.record(
        "A budget is undecided; more launches may decide it.\n\(output)", severity: .warning,
        sourceLocation: location)
    case .success((_, let output, let errors)):
      Issue.record(
        "The budgets have no verdict.\n\(output)\(errors)", sourceLocation: location)
    case .failure(let error):
      Issue.record("The budgets have no verdict: \(error)", sourceLocation: location)
    }
  }

  private func measure() async throws -> (status: Int32, output: String, errors: String) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("perfkit-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("\(scenarioName).yml")
    try scenario.write(to: file, atomically: true, encoding: .utf8)
    var words = [
      "run", file.path, "--exit-code", "--brief", "--quiet", "--no-report", "--no-color",
    ]
    if budgets.contains(where: { $0.contains("alloc.") }) { words.append("--allocations") }
    return try await PerfkitProgram.run(
      words, variables: [TestLaunch.variable: test.id.description], folder: folder)
  }

  // MARK: - Scenario

  /// The scenario of the test; the texts are JSON strings, which YAML reads as they are.
  private var scenario: String {
    """
    scenario: \(scenarioName)
    summary: \(Self.quoted("The test \(test.displayName ?? test.name)."))
    workload: \(TestLaunch.workload)
    worker: \(Self.quoted(PerfkitProgram.testProgram))
    arguments: [--testing-library, swift-testing, --filter, \(Self.quoted(pattern))]
    iterations: \(launches)
    budgets: [\(budgets.map(Self.quoted).joined(separator: ", "))]

    """
  }

  /// The id of the test with the letters, digits and dots that a scenario's name may have.
  private var scenarioName: String {
    let id = ([test.id.moduleName] + test.id.nameComponents).joined(separator: ".")
    let words = id.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) && $0 != "." }
    // The name of a file has at most 255 bytes.
    return words.joined(separator: "-").prefix(150).split(separator: ".").joined(separator: ".")
  }

  /// A regular expression that the id of this test alone matches.
  private var pattern: String {
    let id = test.id.description.map { #"\.^$|?*+()[]{}"#.contains($0) ? "\\\($0)" : "\($0)" }
    return "^\(id.joined())$"
  }

  private static func quoted(_ text: String) -> String {
    let data = (try? JSONEncoder().encode(text)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}

/// The right to measure, which one test has at a time.
private actor Turn {
  static let shared = Turn()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Waits until no other test has the turn.
  func take() async {
    if isTaken {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isTaken = true
    }
  }

  /// Gives the turn to the test that has waited longest.
  func give() {
    if waiting.isEmpty {
      isTaken = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
