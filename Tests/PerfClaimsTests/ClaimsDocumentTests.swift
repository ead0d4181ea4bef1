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
    .measured(before: reading(naive, metric), after: reading(optimised, metric))
  }

  private static let claims = [
    claim(
      "E1.1", Assertion(.atMost, Quantity(150, .megabytes)),
      .measured(before: nil, after: reading(optimised, "rss.peak"))),
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
      .measured(before: nil, after: reading(optimised, "no.metric")), study: "Slide rule"),
  ]

  private static func document(_ claims: [Claim] = claims) -> ClaimsDocument {
    let runs = [
      naive: SampleRuns.run(variant: "naive"), optimised: SampleRuns.run(variant: "optimised"),
    ]
    return ClaimsDocument(
      claims.map { .init($0, ClaimJudge.finding(of: $0) { runs[$0] }) },
      environment: SampleRuns.environment())
  }

  @Test func `the report on claims matches its Markdown and JSON snapshots`() {
    let document = Self.document()
    expectSnapshot(MarkdownRenderer().render(document.document), "claims.md")
    expectSnapshot(document.json.text(), "claims.json")
  }

  @Test func `a claim without a run makes the document incomplete`() {
    #expect(!Self.document().isComplete)
    let others = Self.claims.filter { $0.study == "Epilogue" }
    #expect(Self.document(others).isComplete)
    #expect(
      Self.document().summary
        == "6 claims: 2 reproduced, 2 contradicted, 1 not testable, 1 not measured")
  }
}
