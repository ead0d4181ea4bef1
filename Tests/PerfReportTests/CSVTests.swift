import PerfModel
import Testing

@testable import PerfReport

/// Tables as CSV.
struct CSVTests {
  @Test func `a CSV field with a comma, a quote or a line break is quoted`() {
    let text = CSVRenderer().render(
      header: ["a", "b"], rows: [["1,5", "say \"x\""], ["p\nq", ""]])
    #expect(text == "a,b\n\"1,5\",\"say \"\"x\"\"\"\n\"p\nq\",\n")
  }

  @Test func `a CSV field is unchanged, whatever its first character is`() {
    let names = ["=1+1", "+before", "-12.5", "@home", "'quoted"]
    let text = CSVRenderer().render(header: ["label"], rows: names.map { [$0] })
    #expect(text.split(separator: "\n").dropFirst().map { String($0) } == names)
  }

  @Test func `the CSV of several runs has one header`() {
    let runs = ["naive", "optimised"].map { SampleDocuments.run(variant: $0, launches: 1) }
    let lines = CSVRenderer().render(runs).split(separator: "\n")
    let each = runs.map { CSVRenderer().render([$0]).split(separator: "\n") }
    #expect(lines == each[0] + each[1].dropFirst())
  }

  @Test func `the CSV of several comparisons has one header and identifies each row`() {
    let first = SampleComparisons.naiveAgainstOptimised(launches: 1, samples: 0, fling: 0)
    let second = SampleComparisons.document(
      base: SampleDocuments.run(variant: "optimised", launches: 1, samples: 0, fling: 0),
      candidate: SampleDocuments.run(variant: "naive", launches: 1, samples: 0, fling: 0))
    let lines = CSVRenderer().render([first, second]).split(separator: "\n")
    let each = [first, second].map { CSVRenderer().render([$0]).split(separator: "\n") }
    #expect(each.allSatisfy { $0.count > 1 })
    #expect(lines == each[0] + each[1].dropFirst())
    for (document, rows) in zip([first, second], each) {
      let (base, candidate) = (document.comparison.base, document.comparison.candidate)
      let end = [
        document.comparison.id, "scroll-1000", base.variant, candidate.variant, base.run,
        candidate.run,
      ]
      #expect(rows.dropFirst().allSatisfy { $0.hasSuffix("," + end.joined(separator: ",")) })
    }
  }
}
