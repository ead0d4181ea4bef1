import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// Snapshot tests of text, Markdown, JSON and CSV.
struct DocumentSnapshotTests {
  @Test func `the report on a run that holds its budgets matches its snapshots`() {
    let document = SampleDocuments.run()
    expectSnapshot(TextRenderer().render(document.document), "run.txt")
    expectSnapshot(MarkdownRenderer().render(document.document), "run.md")
    expectSnapshot(document.json.text(), "run.json")
    expectSnapshot(CSVRenderer().render([document]), "run.csv")
  }

  @Test func `the report on a run with broken budgets and lost launches matches its snapshots`() {
    let document = SampleDocuments.run(
      variant: "naive", launches: 8,
      statuses: [2: .crashed(signal: 11), 5: .timedOut, 6: .jetsam])
    expectSnapshot(TextRenderer().render(document.document), "broken-run.txt")
    expectSnapshot(
      TextRenderer(width: 120, usesColour: true).render(document.document), "broken-run.ansi")
  }

  @Test func `the report on a comparison matches its snapshots`() {
    let document = SampleComparisons.naiveAgainstOptimised()
    expectSnapshot(TextRenderer().render(document.document), "comparison.txt")
    expectSnapshot(TextRenderer(width: 140).render(document.document), "comparison-wide.txt")
    expectSnapshot(MarkdownRenderer().render(document.document), "comparison.md")
    expectSnapshot(document.json.text(), "comparison.json")
    expectSnapshot(CSVRenderer().render([document]), "comparison.csv")
  }

  @Test func `the report on a void comparison begins with the reason`() {
    let document = SampleComparisons.document(
      base: SampleDocuments.run(samples: 0, fling: 0),
      candidate: SampleDocuments.run(samples: 0, fling: 0),
      differences: [.init(key: "cpu.model", base: "A", candidate: "B", voids: true)],
      verdict: .void)
    expectSnapshot(TextRenderer().render(document.document), "void-comparison.txt")
  }
}
