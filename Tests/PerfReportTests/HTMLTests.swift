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
}
