import Foundation
import PerfModel
import PerfStatistics
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

  /// Contrast as WCAG 2.2 defines it; its level AA asks for 4.5 of text of this size.
  @Test(arguments: ["light", "dark"])
  func `every colour of text is read on the page and on the row under the pointer`(
    scheme: String
  ) throws {
    let css = String(decoding: PackageResources.report_css, as: UTF8.self)
    let dark = try #require(css.firstRange(of: "prefers-color-scheme: dark"))
    let rules = scheme == "dark" ? css[dark.upperBound...] : css[..<dark.lowerBound]
    func luminance(_ name: String) throws -> Double {
      let place = try #require(rules.firstRange(of: "--\(name): #"))
      let digits = Array(rules[place.upperBound...].prefix { $0.isHexDigit })
      try #require(digits.count == 3 || digits.count == 6)
      let width = digits.count / 3
      let parts = try (0..<3).map { part -> Double in
        let own = String(digits[part * width..<(part + 1) * width])
        let number = try #require(Int(width == 1 ? own + own : own, radix: 16))
        let value = Double(number) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    for text in ["ink", "dim", "faint", "link", "bad", "good", "unknown"] {
      for ground in ["page", "soft"] {
        let (one, other) = (try luminance(text), try luminance(ground))
        let contrast = (max(one, other) + 0.05) / (min(one, other) + 0.05)
        #expect(contrast >= 4.5, "\(text) on \(ground)")
      }
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
    let calm = SampleRuns.run(launches: 6, samples: 0, fling: 0)
    #expect(try !SampleDocuments.document(of: calm).html().contains("class=\"flame\""))
  }

  @Test(arguments: [
    (["run", "work"], "perfkit run work --seed 7</pre>"),
    (["run", "work", "--seed=7"], "perfkit run work --seed=7</pre>"),
    (
      ["record", "--", "./import", "--seed", "3"],
      "perfkit record --seed 7 -- ./import --seed 3</pre>"
    ),
  ])
  func `the command that makes a run again has its seed, and leaves a program's words alone`(
    command: [String], shown: String
  ) throws {
    let sample = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let run = Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 7,
      parameters: [:], command: command, environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches, budgets: [], profile: nil,
      warnings: [], wasInterrupted: false)
    #expect(try SampleDocuments.document(of: run).html().contains(shown))
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
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    func metric(
      _ name: String, _ dimension: PerfModel.Dimension, _ low: Double, _ high: Double,
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
    #expect(try document.contradictions(in: older, isOlder: true) == [])
    let contradiction = ["its table of metrics shows something else"]
    #expect(try document.contradictions(in: older) == contradiction)
    for lie in [
      showing("[-126.8, 556] us", "[-2, 1.5] pp", "[-2, 2] pp"),
      showing("[-126.8, 556] us", "[-2, 1.5]", "[-2, 2] %"),
      showing("[-126.8, 55.6]", "[-2, 1.5]", "[-2, 2] %"),
      showing("[-126.8, 556]", "[-2, 1.5]", "[-2, 2] %", faultsAt: "12 pairs"),
    ] {
      #expect(try document.contradictions(in: lie, isOlder: true) == contradiction)
    }
  }

  @Test(arguments: [
    (
      ComparisonVerdict.inconclusive, RunComparer.environmentsAllowed,
      "Inconclusive: there is not enough evidence yet on pause. Probably 3 more pairs would "
        + "decide it."
    ),
    (
      .void, PairedComparer.controlMoved,
      "Void: cpu.model differs, so nothing can be said of the change."
    ),
  ])
  func `an older report may give its verdict another reason, today's may not`(
    verdict: ComparisonVerdict, code: String, older: String
  ) throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metric = MetricComparison(
      definition: MetricDefinition(
        name: "pause", dimension: .time, direction: .lower, scale: .ratio, summary: ""),
      base: 1, candidate: 1, ratio: 1, estimate: 0, low: -1, high: 1, p: 1, n: (11, 11),
      margin: 0.02, isGating: true, verdict: .inconclusive, pairsNeeded: 3, failures: 1)
    // The environments differ, as was allowed; what makes one of them void is a control.
    let warnings = Set([RunComparer.environmentsAllowed, code]).sorted().map {
      RunWarning(code: $0, message: "steady moved")
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1,
        pairing: .init(pairs: 12, launchesPerPair: 4, isDecided: false), metrics: [metric],
        functions: [],
        environmentDifferences: [
          Environment.Difference(key: "cpu.model", base: "A", candidate: "B", voids: true)
        ], warnings: warnings, verdict: verdict))
    let report = try document.html()
    let words = report.replacing(">\(document.headline)</p>", with: ">\(older)</p>")
    #expect(words != report)
    #expect(try document.contradictions(in: words, isOlder: true) == [])
    let contradiction = ["the report does not say: \(document.headline)"]
    #expect(try document.contradictions(in: words) == contradiction)
    // Another verdict is none of its words.
    let lie = words.replacing(older, with: "Improved: pause from 2 ns to 1 ns (-50%).")
    #expect(try document.contradictions(in: lie, isOlder: true) == contradiction)
    // Nor is what nobody sees, or what stands beside another verdict.
    let element = HTMLRenderer.verdict(document.headline, Tone(document.comparison.verdict))
    let other = "<p class=\"verdict good\">Improved.</p>"
    #expect(try document.contradictions(in: report) == [])
    let hidden = report.replacing(element, with: "\(other)<!-- \(element) -->")
    #expect(try document.contradictions(in: hidden) == contradiction)
    let both = report.replacing(element, with: element + other)
    #expect(
      try document.contradictions(in: both) == [
        "the report has another verdict beside: \(document.headline)"
      ])
  }
}
