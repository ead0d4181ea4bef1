import Foundation
import PerfModel
import PerfReport
import PerfTestSupport
import Testing

@testable import perfkit

/// The files of comparison reports.
struct ReportPlaceTests {
  private static func comparison(
    _ variants: (base: String, candidate: String), _ pairing: Comparison.Pairing?
  ) -> Comparison {
    func side(_ run: String, _ variant: String) -> Comparison.Side {
      Comparison.Side(
        run: run, scenario: "work", variant: variant, label: nil, commit: nil,
        started: Timestamp(milliseconds: 0))
    }
    return Comparison(
      id: "c1", base: side("r1", variants.base), candidate: side("r2", variants.candidate),
      alpha: 0.02, seed: 1, pairing: pairing, metrics: [], functions: [],
      environmentDifferences: [], warnings: [], verdict: .equivalent)
  }

  @Test(arguments: [
    ("naive", "optimised", "work-naive-to-optimised"),
    ("naive", "naive", "work-naive-r1-to-r2"),
  ])
  func `a report of two stored runs does not overwrite the report of pairs`(
    base: String, candidate: String, paired: String
  ) throws {
    let command = try TestCommand()
    let context = command.context(TestCommand.RecordedOutput())
    let pairings = [Comparison.Pairing(pairs: 11, launchesPerPair: 4, isDecided: true), nil]
    let paths = try pairings.map { pairing in
      try ReportPlace.write(
        ComparisonDocument(Self.comparison((base, candidate), pairing)), to: "reports",
        context: context)
    }
    #expect(
      paths == ["reports/\(paired).html", "reports/work-\(base)-r1-to-\(candidate)-r2.html"])
    #expect(paths.allSatisfy { FileManager.default.fileExists(atPath: command.folder($0)) })
  }
}
