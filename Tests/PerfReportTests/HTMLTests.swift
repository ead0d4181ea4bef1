import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct HTMLSnapshotTests {
  @Test func `reports look as recorded`() throws {
    let run = SampleDocuments.run(variant: "naive", fling: 200, statuses: [3: .timedOut])
    expectSnapshot(try run.html(), "run.html")
    expectSnapshot(
      try SampleComparisons.naiveAgainstOptimised(fling: 200).html(), "comparison.html")
  }
}

struct HTMLTests {
  @Test func `a report asks nothing of the network`() throws {
    let html = try SampleDocuments.run().html()
    #expect(!html.contains("http://"))
    #expect(!html.contains("https://"))
    #expect(!html.contains("@import"))
    #expect(html.contains("default-src 'none'"))
  }

  @Test func `every id stands once`() throws {
    for html in [
      try SampleDocuments.run(variant: "naive").html(),
      try SampleComparisons.naiveAgainstOptimised().html(),
    ] {
      let ids = html.matches(of: /\bid="([^"]*)"/).map { String($0.output.1) }
      #expect(ids.count == Set(ids).count)
    }
  }

  @Test func `the verdict stands before everything else`() throws {
    let document = SampleDocuments.run(variant: "naive")
    let html = try document.html()
    let verdict = try #require(html.firstRange(of: Markup.escape(document.verdictSentence)))
    let section = try #require(html.firstRange(of: "<section"))
    #expect(verdict.lowerBound < section.lowerBound)
  }

  @Test func `the flame graph of missed frames is there only when frames missed`() throws {
    #expect(try SampleDocuments.run(variant: "naive").html().contains("id=\"flame-missed\""))
    let calm = SampleRuns.run(iterations: 6, samples: 0, fling: 0)
    #expect(try !SampleDocuments.document(of: calm).html().contains("class=\"flame\""))
  }

  @Test func `a run without frames, series or profile still has its tables`() throws {
    let document = SampleDocuments.run(samples: 0, fling: 0)
    let html = try document.html()
    #expect(html.contains("id=\"launches\""))
    #expect(!html.contains("id=\"frames\""))
    #expect(!html.contains("id=\"profile\""))
  }

  @Test func `a comparison without its runs has the tables and the intervals`() throws {
    let whole = SampleComparisons.naiveAgainstOptimised()
    let html = try ComparisonDocument(whole.comparison).html()
    #expect(html.contains("id=\"forest\""))
    #expect(!html.contains("id=\"flame\""))
  }

  @Test func `intervals of differences may lack their units in an older report, not have others`()
    throws
  {
    let run = SampleRuns.run(iterations: 1, samples: 0, fling: 0)
    func metric(
      _ name: String, _ dimension: Dimension, _ low: Double, _ high: Double,
      _ verdict: ComparisonVerdict = .equivalent
    ) -> MetricComparison {
      MetricComparison(
        definition: MetricDefinition(
          name: name, dimension: dimension, direction: .lower, scale: .difference, summary: ""),
        base: 1, candidate: 1, ratio: 1, estimate: (low + high) / 2, low: low, high: high, p: 0.3,
        n: (11, 11), margin: nil, isGating: true, verdict: verdict,
        decidedAt: verdict == .inconclusive ? 11 : nil)
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1,
        pairing: .init(pairs: 11, launchesPerPair: 4, isDecided: true),
        metrics: [
          metric("pause", .time, -126.8e6, 556e6), metric("hits", .ratio, -0.02, 0.015),
          metric("misses", .ratio, -0.02, 0.02), metric("faults", .count, -4, 6, .inconclusive),
        ], functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive))
    let report = try document.html()
    #expect(try document.contradictions(in: report) == [])

    // Before they had units, only an interval around zero said one, of shares a percent; and what was
    // given up was said to be decided. Of the four only that one is.
    let undecided = ">[-4, 6]</td><td class=\"number\">0.3</td><td class=\"number\">"
    #expect(report.contains(undecided + "-</td>"))
    func showing(
      _ pause: String, _ hits: String, _ misses: String, faultsAt pairs: String = "11 pairs"
    ) -> String {
      var other = report.replacing(undecided + "-</td>", with: undecided + pairs + "</td>")
      for (cell, text) in [
        ("[-126.8, 556] ms", pause), ("[-2, 1.5] pp", hits), ("[-2, 2] pp", misses),
      ] {
        #expect(report.contains(">\(cell)</td>"))
        other = other.replacing(">\(cell)</td>", with: ">\(text)</td>")
      }
      return other
    }
    let older = showing("[-126.8, 556]", "[-2, 1.5]", "[-2, 2] %")
    #expect(try document.contradictions(in: older) == [])
    for lie in [
      showing("[-126.8, 556] us", "[-2, 1.5] pp", "[-2, 2] pp"),
      showing("[-126.8, 556] us", "[-2, 1.5]", "[-2, 2] %"),
      showing("[-126.8, 55.6]", "[-2, 1.5]", "[-2, 2] %"),
      showing("[-126.8, 556]", "[-2, 1.5]", "[-2, 2] %", faultsAt: "12 pairs"),
    ] {
      let found = try document.contradictions(in: lie)
      #expect(found == ["its table of metrics shows something else"])
    }
  }
}
