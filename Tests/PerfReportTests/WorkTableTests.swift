import PerfModel
import Testing

@testable import PerfReport

/// The counted work in reports of runs.
struct WorkTableTests {
  private static func function(
    _ name: String, _ instructions: [UInt64], calls: [UInt64], dataMisses: [UInt64]? = nil,
    branchMisses: [UInt64]? = nil
  ) -> WorkProfile.Function {
    WorkProfile.Function(
      name: name, key: name, module: "Books", instructions: instructions, calls: calls,
      dataMisses: dataMisses, branchMisses: branchMisses)
  }

  private static let plain = [
    function("sort(_:)", [2_999_000, 3_001_000], calls: [7, 7]),
    function("merge(_:)", [1_000_000, 1_000_000], calls: [1, 2]),
  ]

  private func document(_ functions: [WorkProfile.Function] = Self.plain) -> RunDocument {
    let metrics: [[String: Double]] = [
      [MetricName.workInstructions: 3_999_000], [MetricName.workInstructions: 4_001_000],
    ]
    let work = WorkProfile(launches: [0, 1], functions: functions)
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
    let document = document()
    let rows = try #require(document.workTable).rows.map { $0.map(\.text) }
    #expect(
      rows == [
        ["75.0%", "3,000,000", "0.067%", "7", "sort(_:)", "Books"],
        ["25.0%", "1,000,000", "0%", "2", "merge(_:)", "Books"],
      ])
    let text = TextRenderer(width: 100).render(document.document)
    #expect(text.contains("The launches differ by 0.05% in all instructions."))
    #expect(document.html().contains("Functions with the most work"))
    // Budgets of other metrics are left out when work is counted.
    #expect(document.verdictSentence == "Not judged: s:v has no budgets of counted work.")
  }

  @Test func `the JSON has the numbers of each launch`() {
    let json = document().json.text(isIndented: false)
    #expect(
      json.contains(
        #""work":{"functions":[{"calls":[7,7],"instructions":[2999000,3001000],"#
          + #""key":"sort(_:)","module":"Books","name":"sort(_:)"},"#), "\(json)")
  }

  /// The means of misses are (1,200 + 1,300) / 2 and (30 + 30) / 2.
  @Test func `simulated misses have columns, and their numbers are in the JSON`() throws {
    let document = document([
      Self.function(
        "sort(_:)", [3_000_000, 3_000_000], calls: [7, 7], dataMisses: [1200, 1300],
        branchMisses: [30, 30])
    ])
    let table = try #require(document.workTable)
    #expect(table.columns.map(\.key).suffix(2) == ["data misses", "branch misses"])
    #expect(table.rows.map { $0.map(\.text).suffix(2) } == [["1,250", "30"]])
    let json = document.json.text(isIndented: false)
    #expect(json.contains(#""branch_misses":[30,30]"#), "\(json)")
    #expect(json.contains(#""data_misses":[1200,1300]"#), "\(json)")
  }

  @Test func `a table without branch simulation has no column of branch misses`() throws {
    let functions = [Self.function("a", [5, 5], calls: [1, 1], dataMisses: [2, 2])]
    let table = try #require(document(functions).workTable)
    #expect(table.columns.map(\.key).suffix(2) == ["module", "data misses"])
  }
}
