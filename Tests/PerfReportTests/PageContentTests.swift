import Foundation
import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

/// The choice of what a page shows first, and the data of its timeline.
struct PageContentTests {
  @Test func `numbers are written in groups of five bits, least significant first`() {
    var text = NumberText()
    // 31 is the last number of one group. 1040 = 16 + 0 x 32 + 1 x 1024, with two more groups to
    // follow: the digits 16 + 32 and 0 + 32, then 1.
    text.append(0, 31, 32, 1040)
    #expect(text.text == "A" + "f" + "gB" + "wgB")
    text.append(-1)
    #expect(text.text.hasSuffix("wgBA"))
  }

  @Test func `a page has at most 24 launches, with the most hitches and the median hitch time`()
    throws
  {
    let run = SampleRuns.run(variant: "naive", launches: 50, samples: 0, fling: 60)
    let data = Data(try #require(TimelineData(run, flame: nil)).json.utf8)
    let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let launches = try #require(members["launches"] as? [[String: Any]])
    let numbers = launches.compactMap { $0["number"] as? Int }
    // The launch in the middle of 50 is none of the 23 with the most hitches.
    #expect(numbers.count == 24)
    #expect(numbers == numbers.sorted())
    let shown = try #require(members["shown"] as? Int)
    #expect(numbers[shown] == run.middleLaunch?.index)
    let worst = try #require(run.drawn.max { $0.hitchTime < $1.hitchTime })
    #expect(numbers.contains(worst.index))
  }

  @Test func `a page has the longest of too many frames, and their number`() throws {
    // 20 launches have at most 3,000 frames each; 30 s at 120 Hz have 3,600.
    let run = SampleRuns.run(launches: 20, samples: 0, fling: 30_000)
    let data = Data(try #require(TimelineData(run, flame: nil)).json.utf8)
    let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let launches = try #require(members["launches"] as? [[String: Any]])
    for (launch, shown) in zip(run.drawn, launches) {
      #expect(shown["frameCount"] as? Int == launch.frames.count)
      // Four numbers for each frame; one of the first 32 digits ends a number.
      let text = try #require(shown["frames"] as? String)
      let numbers = text.count { ("A"..."Z").contains($0) || ("a"..."f").contains($0) }
      #expect(numbers == 4 * min(launch.frames.count, 3000))
    }
    #expect(run.drawn.contains { $0.frames.count > 3000 })
  }

  @Test func `a page has the longest of too many spans, and their number`() throws {
    let spans = (0...60_000).map { number in
      Span(
        name: "load", kind: .signpost, serial: 1, began: UInt64(number) * 1000,
        duration: UInt64(1000 + number))
    }
    let data = Data(
      try #require(TimelineData(SampleDocuments.run(spans: spans), flame: nil)).json.utf8)
    let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let launch = try #require((members["launches"] as? [[String: Any]])?.first)
    #expect(launch["spanCount"] as? Int == 60_001)
    // Four numbers for each span; one of the first 32 digits ends a number.
    let text = try #require(launch["spans"] as? String)
    #expect(text.count { ("A"..."Z").contains($0) || ("a"..."f").contains($0) } == 4 * 60_000)
  }

  @Test func `the section of series names counters if a launch has some`() {
    let times: [UInt64] = [1000, 9000]
    let memory = TimeSeries(name: "rss", dimension: .size, times: times, values: [1, 2])
    let counter = TimeSeries(name: "books", dimension: .count, times: times, values: [1, 2])
    for (series, title) in [
      ([memory], "Memory and CPU"), ([memory, counter], "Memory, CPU and counters"),
    ] {
      let run = SampleDocuments.run(spans: [], series: series)
      let page = SampleDocuments.document(of: run).html()
      #expect(page.contains("<h2 id=\"resources-title\">\(title)</h2>"), "\(title)")
    }
  }

  @Test func `a name of a phase has the same number on both sides of a comparison`() throws {
    func run(_ phases: [String]) -> Run {
      SampleDocuments.run(
        spans: phases.map { Span(name: $0, kind: .phase, serial: 1, began: 0, duration: 9) })
    }
    let (base, candidate) = (run(["decode", "draw"]), run(["draw", "cache"]))
    let sides = [
      TimelineData(base, flame: nil, isBase: true, other: candidate),
      TimelineData(candidate, flame: nil, other: base),
    ]
    for side in sides {
      let data = Data(try #require(side).json.utf8)
      let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(members["names"] as? [String] == ["decode", "draw", "cache"])
    }
  }

  /// The controls, the legend and the notes of the timeline in a page, without its data.
  private static func timeline(in page: String) throws -> Substring {
    let start = try #require(page.firstRange(of: "<h3 id=\"timeline-title\"")).lowerBound
    let end = try #require(page[start...].firstRange(of: "<noscript>")).lowerBound
    return page[start..<end]
  }

  @Test func `a timeline has the title, controls and legend of the tracks that it has`() throws {
    let spans = [
      Span(name: "decode", kind: .phase, serial: 1, began: 0, duration: 9000),
      Span(name: "alarm", kind: .event, serial: 1, began: 5000, duration: 0),
    ]
    let series = TimeSeries(name: "rss", dimension: .size, times: [1000, 9000], values: [1, 2])
    let without = try Self.timeline(
      in: SampleDocuments.document(of: SampleDocuments.run(spans: spans, series: [series])).html())
    #expect(without.contains(">Phases, events and memory of a launch</h3>"))
    #expect(without.contains("class=\"event\""))
    for word in ["frame", "hitch", "refresh", "on time"] {
      #expect(!without.contains(word), "\(word) in \(without)")
    }
    let with = try Self.timeline(in: SampleDocuments.run(variant: "naive").html())
    #expect(with.contains("<h3 id=\"timeline-title\">Frames"))
    for words in ["next hitch", "class=\"missed\"", "A click on a frame"] {
      #expect(with.contains(words), "\(words) in \(with)")
    }
  }

  @Test func `the page and the terminal show the same metrics of a run first`() {
    for variant in ["naive", "optimised"] {
      var document = SampleDocuments.run(variant: variant, launches: 8, fling: 1000)
      document.gating = ["frame.rate"]
      let table = document.document(.screen).tables.first { $0.id == "metrics" }
      #expect(
        table?.rows.map { $0[0].text } == document.keyMetrics.map(\.definition.name), "\(variant)")
    }
  }

  @Test func `the page and the terminal show the same metrics of a comparison first`() {
    let document = SampleComparisons.naiveAgainstOptimised()
    let table = document.document(.screen).tables.first { $0.id == "metrics" }
    #expect(
      table?.rows.map { $0[0].text }
        == document.keyMetrics.prefix(5).map(\.definition.name))
  }

  @Test func `a run shows five metrics, those with broken budgets first`() {
    let document = SampleDocuments.run(variant: "naive")
    let names = document.keyMetrics.map(\.definition.name)
    let broken = document.budgets.filter { $0.verdict == .broken }.map(\.budget.metric)
    #expect(names.count == 5)
    #expect(Array(names.prefix(broken.count)) == broken)
    // The other metrics are folded, and none is missing.
    let folded = document.metricTables.flatMap(\.rows).map { $0[0].text }
    #expect(Set(folded).isSuperset(of: names))
  }

  private static func comparison(_ verdicts: [(String, ComparisonVerdict, Bool)]) -> Comparison {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metrics = verdicts.enumerated().map { number, entry in
      MetricComparison(
        definition: MetricDefinition(
          name: entry.0, dimension: .time, direction: .lower, scale: .ratio, summary: ""),
        base: 100, candidate: 100 + Double(number), ratio: 1, estimate: 0.1, low: 0.05, high: 0.2,
        p: 0.01, n: (6, 6), margin: 0.02, isGating: entry.2, verdict: entry.1)
    }
    return Comparison(
      id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: metrics,
      functions: [], environmentDifferences: [], warnings: [], verdict: .regressed)
  }

  @Test func `a comparison shows what gates by its verdict, then what changed most`() {
    let document = ComparisonDocument(
      Self.comparison([
        ("g-equal", .equivalent, true), ("g-better", .improved, true),
        ("g-worse", .regressed, true),
        ("small", .regressed, false), ("equal", .equivalent, false), ("large", .regressed, false),
        ("better", .improved, false),
      ]))
    #expect(
      document.keyMetrics.map(\.definition.name)
        == ["g-worse", "g-better", "g-equal", "large", "small"])
    #expect(document.otherMetricTables.flatMap(\.rows).map { $0[0].text } == ["equal", "better"])
  }

  @Test func `every gating metric that changed is shown, however many there are`() {
    let names = (0..<8).map { "metric.\($0)" }
    let document = ComparisonDocument(Self.comparison(names.map { ($0, .regressed, true) }))
    #expect(Set(document.keyMetrics.map(\.definition.name)) == Set(names))
    #expect(document.otherMetricTables.isEmpty)
  }

  @Test func `a report with all rows in one table, as in older versions, is not contradicted`()
    throws
  {
    let document = ComparisonDocument(
      Self.comparison([("a", .regressed, true), ("b", .equivalent, false)]))
    let verdict = HTMLRenderer.verdict(document.headline, Tone(document.comparison.combined))
    let table = HTMLRenderer().render(try #require(document.metricTable).titled(""))
    #expect(document.contradictions(in: verdict + table) == [])
    let other = ["its table of metrics shows other values"]
    #expect(document.contradictions(in: verdict) == other)
    // A second row of a metric must not differ from the first one.
    let twice = table + table.replacing(">regressed<", with: ">improved<")
    #expect(document.contradictions(in: verdict + twice) == other)
  }

  @Test func `warnings are one folded line with their number`() {
    let warnings = (1...3).map { RunWarning(code: "x", message: "warning \($0)", remedy: "") }
    let sample = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let run = Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 7,
      parameters: [:], command: ["run"], environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches, budgets: [], profile: nil,
      warnings: warnings, wasInterrupted: false)
    let html = SampleDocuments.document(of: run).html()
    #expect(html.contains("<details class=\"warnings\">\n<summary>3 warnings</summary>"))
  }
}
