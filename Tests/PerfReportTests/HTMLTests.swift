import Foundation
import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

struct HTMLSnapshotTests {
  @Test func `HTML reports match their snapshots`() throws {
    let run = SampleDocuments.run(variant: "naive", fling: 200, statuses: [3: .timedOut])
    expectSnapshot(run.html(), "run.html")
    expectSnapshot(
      SampleComparisons.naiveAgainstOptimised(fling: 200).html(), "comparison.html")
  }
}

struct HTMLTests {
  @Test func `an HTML report refers to no network resource`() throws {
    let html = SampleDocuments.run().html()
    #expect(!html.contains("http://"))
    #expect(!html.contains("https://"))
    #expect(!html.contains("@import"))
    #expect(html.contains("default-src 'none'"))
  }

  @Test func `every element ID is unique`() throws {
    for html in [
      SampleDocuments.run(variant: "naive").html(),
      SampleComparisons.naiveAgainstOptimised().html(),
    ] {
      let ids = html.matches(of: /\bid="([^"]*)"/).map { String($0.output.1) }
      #expect(ids.count == Set(ids).count)
    }
  }

  /// The contrast by WCAG 2.2; level AA requires 4.5 for text of this size.
  @Test(arguments: ["light", "dark"])
  func `every text colour has enough contrast on the page and on a highlighted row`(
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

  @Test func `the verdict precedes all other content`() throws {
    let document = SampleDocuments.run(variant: "naive")
    let html = document.html()
    let verdict = try #require(html.firstRange(of: Markup.escape(document.verdictSentence)))
    let section = try #require(html.firstRange(of: "<section"))
    #expect(verdict.lowerBound < section.lowerBound)
  }

  @Test func `the flame graph of missed frames exists only if frames missed`() throws {
    #expect(SampleDocuments.run(variant: "naive").html().contains("id=\"flame-missed\""))
    let calm = SampleRuns.run(launches: 6, samples: 0, fling: 0)
    #expect(!SampleDocuments.document(of: calm).html().contains("class=\"flame\""))
  }

  @Test(arguments: [
    (["run", "work"], "perfkit run work --seed 7</pre>"),
    (["run", "work", "--seed=7"], "perfkit run work --seed=7</pre>"),
    (
      ["record", "--", "./import", "--seed", "3"],
      "perfkit record --seed 7 -- ./import --seed 3</pre>"
    ),
  ])
  func `the command to reproduce a run has its seed before the arguments of a program`(
    command: [String], shown: String
  ) throws {
    let sample = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let run = Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 7,
      parameters: [:], command: command, environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches, budgets: [], profile: nil,
      warnings: [], wasInterrupted: false)
    #expect(SampleDocuments.document(of: run).html().contains(shown))
  }

  @Test func `the report on a run without frames, series or profile has its tables`() throws {
    let document = SampleDocuments.run(samples: 0, fling: 0)
    let html = document.html()
    #expect(html.contains("id=\"launches\""))
    #expect(!html.contains("id=\"frames\""))
    #expect(!html.contains("id=\"profile\""))
  }

  @Test func `the report on a comparison without its runs has tables and intervals`() throws {
    let whole = SampleComparisons.naiveAgainstOptimised()
    let html = ComparisonDocument(whole.comparison).html()
    #expect(html.contains("id=\"forest\""))
    #expect(!html.contains("id=\"flame\""))
  }

  @Test(arguments: [
    (
      ComparisonVerdict.inconclusive, RunComparer.environmentsAllowed,
      "Inconclusive: failed launches lack pause, so it cannot be called equivalent or improved."
    ),
    (
      .void, PairedComparer.controlMoved,
      "Void: steady moved. Either the machine changed or its input did."
    ),
  ])
  func `a report that shows another verdict or other metrics is contradicted`(
    verdict: ComparisonVerdict, code: String, headline: String
  ) throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metric = MetricComparison(
      definition: MetricDefinition(
        name: "pause", dimension: .time, direction: .lower, scale: .difference, summary: ""),
      base: 1, candidate: 1, ratio: 1, estimate: 2e8, low: -126.8e6, high: 556e6, p: 1, n: (11, 11),
      margin: 0.02, isGating: true, verdict: .inconclusive, pairsNeeded: 3, failures: 1)
    // The environments differ, which the user allowed.
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
    #expect(document.headline == headline)
    let report = document.html()
    #expect(document.contradictions(in: report) == [])

    let table = report.replacing(">[-126.8, 556] ms</td>", with: ">[-126.8, 55.6] ms</td>")
    #expect(table != report)
    #expect(
      document.contradictions(in: table) == ["its table of metrics shows other values"])

    let element = HTMLRenderer.verdict(document.headline, Tone(document.comparison.verdict))
    let other = "<p class=\"verdict good\">Improved.</p>"
    let contradiction = ["the report does not show: \(document.headline)"]
    let replaced = report.replacing(element, with: other)
    #expect(document.contradictions(in: replaced) == contradiction)
    // A comment is invisible.
    let hidden = report.replacing(element, with: "\(other)<!-- \(element) -->")
    #expect(document.contradictions(in: hidden) == contradiction)
    let both = report.replacing(element, with: element + other)
    #expect(
      document.contradictions(in: both) == [
        "the report shows another verdict in addition to: \(document.headline)"
      ])
  }
}
