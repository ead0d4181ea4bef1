import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct TryDocumentTests {
  private let metric = MetricDefinition(
    name: "cpu.total", dimension: .time, direction: .lower, scale: .ratio, summary: "")
  private let gain = Campaign.Gain(
    change: -0.034, low: -0.042, high: -0.026, comparison: "c1m893x1")

  private func document(
    objection: String?, because: String? = "reuse the buffer",
    measured: ComparisonDocument? = nil, hasTotal: Bool = true, isStopped: Bool = false
  ) -> TryDocument {
    var campaign = Campaign(
      started: SampleRuns.firstStart, scenario: "palette-extract", variant: nil,
      metric: "cpu.total", margin: Scenario.Margin(relative: 0.01),
      start: Campaign.State(commit: "1a2b3c4d5e6f", name: "1a2b3c4d5e"))
    campaign.number = 2
    let attempt = Campaign.Try(
      because: because, decided: SampleRuns.firstStart, level: 0.00134, objection: objection,
      measured: gain, claimed: objection == nil ? -0.031 : nil,
      total: objection == nil && hasTotal ? gain : nil)
    campaign.tries = [attempt]
    return TryDocument(
      attempt, of: campaign, metric, measured: measured, isStopped: isStopped)
  }

  private func text(_ document: TryDocument) -> String {
    TextRenderer(width: 80).render(document.document)
  }

  @Test func `a kept change is shown with its corrected gain and the total`() throws {
    let document = document(objection: nil)
    #expect(
      document.sentence
        == "Keep: cpu.total changed by -3.1%, corrected for the selection; measured -3.4% "
        + "[-4.2%, -2.6%].")
    let text = text(document)
    // The first level is 0.05351668 x 0.025; after a discovery 0.0116379 x 0.025 + 0.05351668 x 0.025.
    #expect(text.contains("0.13% spent, 0.16% for the next try"))
    #expect(text.contains("since 1a2b3c4d5e, measured again"))
    #expect(document.isKept)
  }

  @Test func `a kept change without a total says why there is none`() {
    let stopped = document(objection: nil, hasTotal: false, isStopped: true)
    #expect(text(stopped).contains("not measured, because the command was stopped"))
    let late = document(objection: nil, hasTotal: false)
    #expect(text(late).contains("not measured, because the time was over or launches failed"))
  }

  @Test func `a dropped change is shown with the objection and no total`() throws {
    let document = document(objection: "rss.peak rose by 4%")
    #expect(document.sentence.hasPrefix("Drop: rss.peak rose by 4%; measured -3.4%"))
    #expect(!text(document).contains("measured again"))
    #expect(text(document).contains("undo the change before the next try"))
  }

  @Test func `the functions that explain the change follow the decision`() throws {
    let sample = SampleComparisons.naiveAgainstOptimised()
    let explanation = try #require(sample.explanation)
    #expect(explanation.hasPrefix("CPU time changed in "))
    let document = document(objection: nil, measured: sample)
    #expect(
      text(document).split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
        "[-4.2%, -2.6%]. \(explanation)"))
    #expect(document.json["explanation"] == .string(explanation))
    #expect(self.document(objection: nil).json["explanation"] == .null)
  }

  @Test func `the text has at most fifteen lines however long the reason is`() {
    let reason = String(repeating: "because it allocates less ", count: 40)
    let document = document(objection: nil, because: reason)
    #expect(text(document).split(separator: "\n", omittingEmptySubsequences: false).count <= 16)
    #expect(text(document).hasSuffix("\n"))
  }

  @Test func `the JSON has the decision, all tries and the levels`() throws {
    let json = try #require(
      try JSONSerialization.jsonObject(
        with: Data(document(objection: nil).json.text().utf8)) as? [String: Any])
    #expect(json["schema"] as? String == "perfkit.try/1")
    #expect(json["campaign"] as? Int == 2 && json["kept"] as? Int == 1)
    let attempt = try #require(json["try"] as? [String: Any])
    #expect(attempt["decision"] as? String == "keep")
    #expect(attempt["claimed"] as? Double == -0.031 && attempt["level"] as? Double == 0.00134)
    #expect((attempt["total"] as? [String: Any])?["comparison"] as? String == "c1m893x1")
    #expect((json["tries"] as? [Any])?.count == 1)
  }
}
