import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

/// The launches in reports of runs, and files that are not whole reports.
struct ReportFileTests {
  private static let run = SampleRuns.run(
    variant: "naive", launches: 6, samples: 100, fling: 100,
    statuses: [3: .timedOut, 4: .crashed(signal: 11), 5: .failed("\"<&>'"), 6: .jetsam])
  private static let page = SampleDocuments.document(of: run).html()

  @Test func `a report contains the launches, budgets and environment of its run`() throws {
    let read = try ReportFile.run(in: Self.page)
    #expect(read.id == Self.run.id)
    #expect(read.started == Self.run.started)
    #expect(read.parameters == Self.run.parameters)
    #expect(read.environment == Self.run.environment)
    #expect(read.definitions == Self.run.definitions)
    #expect(read.budgets == Self.run.budgets)
    #expect(read.launches.map(\.status) == Self.run.launches.map(\.status))
    #expect(read.launches.map(\.metrics) == Self.run.launches.map(\.metrics))
    #expect(read.launches.map(\.isWarmup) == Self.run.launches.map(\.isWarmup))
  }

  @Test func `a report of a counted run contains its work, so that counts are compared exactly`()
    throws
  {
    let runs = [1_000_000.0, 1_031_000].map { count in
      CountedRuns.run(
        [count, count], functions: ["parse(_:)": [UInt64(count), UInt64(count)]], id: "w")
    }
    let read = try runs.map { try ReportFile.run(in: SampleDocuments.document(of: $0).html()) }
    #expect(read.map(\.work) == runs.map(\.work))
    let work = try #require(RunComparer().compare(read[0], read[1]).work)
    // 1,031,000 / 1,000,000 - 1, by logarithms.
    #expect(abs(try #require(work.metrics.first?.estimate) - 0.031) < 1e-12)
  }

  @Test(arguments: [0, 0.000_1, 0.001, 0.1, 0.5, 0.9, 0.999])
  func `a report that was cut off is reported as such`(part: Double) {
    let count = Int(Double(Self.page.utf8.count) * part)
    let start = String(decoding: Self.page.utf8.prefix(count), as: UTF8.self)
    #expect(throws: ReportFile.Failure.cutOff) { try ReportFile.run(in: start) }
    #expect(throws: ReportFile.Failure.cutOff) { try ReportFile.check(start) }
    #expect(throws: Never.self) { try ReportFile.check(Self.page) }
    #expect(throws: ReportFile.Failure.foreign) { try ReportFile.check("<html></html>") }
  }

  @Test(arguments: [
    ("timed out", "completed", ReportFile.Failure.edited),
    ("<title>", "<title>x", .edited),
    (
      "<!-- perfkit.page/1", "<!-- perfkit.page/2",
      .unknownForm("perfkit.page/2", known: "perfkit.page/1")
    ),
    ("content=\"PerfKit\"", "content=\"Other\"", .foreign),
  ])
  func `a report that was edited or has another form is refused`(
    old: String, new: String, failure: ReportFile.Failure
  ) {
    let changed = Self.page.replacing(old, with: new, maxReplacements: 1)
    #expect(changed != Self.page)
    #expect(throws: failure) { try ReportFile.run(in: changed) }
  }

  @Test(arguments: ["x", String(repeating: "<!-- x -->\n", count: 20)])
  func `text after the checksum is an edit`(text: String) {
    #expect(throws: ReportFile.Failure.edited) { try ReportFile.check(Self.page + text) }
  }

  @Test func `launches of a newer form are refused with both forms`() {
    let seal = Self.page.ranges(of: "<!-- perfkit.page/").last?.lowerBound ?? Self.page.startIndex
    let newer = String(Self.page[..<seal])
      .replacing("perfkit.run-evidence\\/1", with: "perfkit.run-evidence\\/2")
    let failure = ReportFile.Failure.unknownForm(
      "perfkit.run-evidence/2", known: "perfkit.run-evidence/1")
    #expect(throws: failure) { try ReportFile.run(in: ReportFile.sealed(newer)) }
  }

  @Test func `a report of a comparison, or of an older version, has no launches of a run`() {
    let comparison = SampleComparisons.naiveAgainstOptimised(fling: 100).html()
    #expect(throws: ReportFile.Failure.comparison) { try ReportFile.run(in: comparison) }
    let seal = Self.page.ranges(of: "<!-- perfkit.page/").last?.lowerBound ?? Self.page.startIndex
    #expect(throws: ReportFile.Failure.old) { try ReportFile.run(in: String(Self.page[..<seal])) }
  }
}
