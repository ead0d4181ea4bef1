import PerfModel
import Testing

@testable import PerfReport

/// The counted work in reports of runs.
struct WorkTableTests {
  private static func function(
    _ name: String, _ instructions: [UInt64], calls: [UInt64]
  ) -> WorkProfile.Function {
    WorkProfile.Function(
      name: name, key: name, module: "Books", instructions: instructions, calls: calls)
  }

  private var document: RunDocument {
    let metrics: [[String: Double]] = [
      [MetricName.workInstructions: 3_999_000], [MetricName.workInstructions: 4_001_000],
    ]
    let work = WorkProfile(
      launches: [0, 1],
      functions: [
        Self.function("sort(_:)", [2_999_000, 3_001_000], calls: [7, 7]),
        Self.function("merge(_:)", [1_000_000, 1_000_000], calls: [1, 2]),
      ])
    return SampleDocuments.document(
      of: Run(
        id: "r", scenario: "s", variant: "v", label: nil, started: Timestamp(milliseconds: 0),
        seed: 1, parameters: [:], command: ["run", "s"], environment: Environment(facts: [:]),
        definitions: MetricCatalog.standardDefinitions.filter {
          $0.name == MetricName.workInstructions
        },
        launches: metrics.enumerated().map { index, metrics in
          Launch(index: index, isWarmup: false, status: .completed, offset: 0, metrics: metrics)
        }, budgets: [], profile: nil, work: work, warnings: [], wasInterrupted: false))
  }

  /// The means are 3,000,000 of 4,000,000 with a difference of 2,000 (0.067 %), and 1.5 calls.
  @Test func `the table shows share, instructions, difference and calls of each function`() throws {
    let rows = try #require(document.workTable).rows.map { $0.map(\.text) }
    #expect(
      rows == [
        ["75.0%", "3,000,000", "0.067%", "7", "sort(_:)", "Books"],
        ["25.0%", "1,000,000", "0%", "2", "merge(_:)", "Books"],
      ])
    let text = TextRenderer(width: 100).render(document.document)
    #expect(text.contains("The launches differ by 0.05% in all instructions."))
    #expect(document.html().contains("Functions with the most work"))
  }

  @Test func `the JSON has the numbers of each launch`() {
    let json = document.json.text(isIndented: false)
    #expect(
      json.contains(
        #""work":{"functions":[{"calls":[7,7],"instructions":[2999000,3001000],"#
          + #""key":"sort(_:)","module":"Books","name":"sort(_:)"},"#), "\(json)")
  }
}
