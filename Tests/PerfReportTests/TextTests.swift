import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// Reports as text for a terminal.
struct TextTests {
  @Test(arguments: ["naive", "optimised"])
  func `a run fits into a terminal of eighty columns`(variant: String) {
    let document = SampleDocuments.run(variant: variant, launches: 8, fling: 4000)
    let lines = TextRenderer().render(document.document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
  }

  @Test func `a comparison fits into a terminal of eighty columns`() {
    let document = SampleComparisons.naiveAgainstOptimised()
    let lines = TextRenderer().render(document.document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
  }

  @Test func `differences of environments fit into a terminal of eighty columns`() {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let names = ["8370C CPU @ 2.80GHz", "8272CL CPU @ 2.60GHz"].map {
      "Intel(R) Xeon(R) Platinum \($0)"
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: [],
        functions: [],
        environmentDifferences: [
          Environment.Difference(
            key: "cpu.model", base: names[0], candidate: names[1], voids: true)
        ], warnings: [], verdict: .void))
    let lines = TextRenderer().render(document.document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
    // Shortened texts might be equal on both sides.
    #expect(lines.contains { $0 == "      base \(names[0])" })
    #expect(lines.contains { $0 == "      candidate \(names[1])" })
  }

  @Test func `no line ends with spaces`() {
    let lines = TextRenderer().render(SampleDocuments.run().document).split(separator: "\n")
    #expect(lines.filter { $0.last == " " } == [])
  }

  @Test func `escape sequences are written only if colour is requested`() {
    let document = SampleDocuments.run().document
    #expect(!TextRenderer().render(document).contains("\u{1B}"))
    #expect(TextRenderer(usesColour: true).render(document).contains("\u{1B}[1;32m"))
  }
}
