import PerfModel
import PerfReport
import PerfTestSupport
import Testing

@testable import PerfClaims

/// Tests of the report on one claim of each kind and each verdict, decided by sample runs.
struct ClaimsDocumentTests {
  private static let naive = Claim.Source(scenario: "scroll-1000", variant: "naive")
  private static let optimised = Claim.Source(scenario: "scroll-1000", variant: "optimised")

  private static func claim(
    _ id: String, _ assertion: Assertion?, _ evidence: Claim.Evidence, note: String = "",
    study: String = "Epilogue"
  ) -> Claim {
    Claim(
      id: id, study: study, quote: "Words of \(id) | quoted", assertion: assertion,
      evidence: evidence, note: note)
  }

  private static func reading(_ source: Claim.Source, _ metric: String) -> Claim.Reading {
    Claim.Reading(source: source, formula: .metric(metric), text: metric)
  }

  private static func change(_ metric: String) -> Claim.Evidence {
    .measured(.init(before: reading(naive, metric), after: reading(optimised, metric)))
  }

  private static let claims = [
    claim(
      "E1.1", Assertion(.atMost, Quantity(150, .megabytes)),
      .measured(.init(before: nil, after: reading(optimised, "rss.peak")))),
    claim(
      "E2.1",
      Assertion(.more, .equal, Quantity(baseValue: 1000, unit: .ratio), tolerance: .factor(2)),
      change("frame.rate")),
    claim(
      "E3.1", Assertion(.reduction, .equal, Quantity(50, .percent), tolerance: .atLeast),
      change("rss.peak"), note: "A note."),
    claim(
      "E4.1", Assertion(.equal, Quantity(6.2, .milliseconds), tolerance: .exactly),
      .computed(.number(.init(6.5e6, .time)), text: "13 ms / 2")),
    claim("E5.1", nil, .notTestable(because: "There is no GPU here.")),
    claim(
      "R1.1", Assertion(.atMost, Quantity(1, .count)),
      .measured(.init(before: nil, after: reading(optimised, "no.metric"))),
      study: "Slide rule"),
  ]

  private static func studies(_ claims: [Claim]) -> [ClaimStudy] {
    ["Epilogue", "Slide rule"].map { name in
      ClaimStudy(
        key: name.lowercased(), name: name, story: "The story of \(name).",
        claims: claims.filter { $0.study == name },
        headlines: name == "Epilogue" ? [.init(id: "E3.1", text: "half of the peak memory")] : [])
    }
  }

  private static let runs = [
    naive: SampleRuns.run(variant: "naive"),
    optimised: SampleRuns.run(variant: "optimised", commit: "00ff"),
  ]

  private static func document(
    _ claims: [Claim] = claims, changes: [String] = [], contrasts: [ClaimContrast] = []
  ) -> ClaimsDocument {
    ClaimsDocument(studies(claims)) { claim in
      ClaimJudge.finding(of: claim, run: { runs[$0] }, changes: { _ in changes })
    } contrasts: {
      contrasts
    } runs: {
      [naive, optimised].compactMap { runs[$0] }
    }
  }

  @Test func `the report on claims matches its Markdown and JSON snapshots`() {
    let document = Self.document()
    expectSnapshot(MarkdownRenderer().render(document.document), "claims.md")
    expectSnapshot(document.json.text(), "claims.json")
  }

  @Test func `a claim without a run makes the document incomplete`() {
    #expect(Self.document().open.map(\.claim.id) == ["R1.1"])
    let others = Self.claims.filter { $0.study == "Epilogue" }
    #expect(Self.document(others).open.isEmpty)
    #expect(
      Self.document().summary
        == "6 claims: 2 reproduced, 2 contradicted, 1 not testable, 1 not measured")
  }

  @Test func `claims whose program changed are open and not counted as reproduced`() {
    let others = Self.claims.filter { $0.study == "Epilogue" }
    let document = Self.document(others, changes: ["the program changed"])
    #expect(document.open.map(\.claim.id) == ["E1.1", "E2.1", "E3.1"])
    #expect(document.summary == "5 claims: 1 contradicted, 1 not testable, 3 stale")
  }

  /// Returns a kept expectation about the run `s1naive`.
  private static func contrast(changes: [String] = []) -> ClaimContrast {
    let reading = ScenarioExpectation.Reading(metric: "rss.peak", variant: "naive")
    let expectation = ScenarioExpectation(
      "rss.peak(naive) > 1 MB", left: .metric(reading.description), .above,
      right: .number(.init(1e6, .size)), readings: [reading])
    return ClaimContrast(
      scenario: "scroll-1000",
      result: ExpectationResult(
        expectation, .kept, left: 4e8, right: 1e6, dimension: .size, runs: ["s1naive"]),
      runs: Array(runs.values), changes: { _ in changes })
  }

  @Test func `a run that decides only a contrast is listed`() {
    let claims = Array(Self.claims.prefix(1))
    #expect(Self.document(claims).runs.map(\.id) == ["s1optimised"])
    let document = Self.document(claims, contrasts: [Self.contrast()])
    #expect(document.runs.map(\.id) == ["s1naive", "s1optimised"])
    #expect(document.isComplete)
    let text = MarkdownRenderer().render(document.document)
    #expect(
      text.contains(
        "| scroll-1000 | **kept** | rss.peak(naive) &gt; 1 MB | **400 MB and 1 MB** | s1naive |"))
  }

  @Test func `a contrast whose program changed is stale and makes the document incomplete`() {
    let claims = Array(Self.claims.prefix(1))
    let contrast = Self.contrast(changes: ["the program changed"])
    #expect(contrast.verdict == "stale")
    let document = Self.document(claims, contrasts: [contrast])
    #expect(document.open.isEmpty)
    #expect(!document.isComplete)
    let text = MarkdownRenderer().render(document.document)
    #expect(
      text.contains(
        "| scroll-1000 | stale | rss.peak(naive) &gt; 1 MB | **400 MB and 1 MB** | Was kept. Since "
          + "run s1naive of scroll-1000:naive, the program changed. | s1naive |"))
  }

  @Test func `the report begins with the headline numbers and ends with the origin of each run`() {
    let text = MarkdownRenderer().render(Self.document().document)
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(
      headings == [
        "# Claims of the case studies, measured here", "## Epilogue", "## All claims of Epilogue",
        "## All claims of Slide rule", "## Runs",
      ])
    let runs = text.split(separator: "\n").suffix(2)
    #expect(runs.first?.contains("| 4f0c2d9e8b |") == true)
    #expect(runs.last?.contains("| 00ff |") == true)
  }

  @Test func `the story of a study fits a screen of 80 columns and 24 lines`() throws {
    let study = try #require(Self.studies(Self.claims).first)
    let story = ClaimStory(study) { claim in
      ClaimJudge.finding(of: claim) { Self.runs[$0] }
    }
    let lines = TextRenderer(width: 80).render(story.document).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 24)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains { $0.contains("half of the peak memory") })
  }
}
