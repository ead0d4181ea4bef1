import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// Pages of runs with seeded changes are read, or refused with an error.
struct MutatedPageTests {
  @Test func `a changed page is refused, and changed launches are read or refused`() throws {
    let run = SampleRuns.run(variant: "naive", launches: 2, samples: 0, fling: 0)
    let element = ReportFile.element(run)
    let page = { (element: String) in
      "<!DOCTYPE html>\n<meta name=\"generator\" content=\"PerfKit\">\n\(element)\n</html>\n"
    }
    let whole = ReportFile.sealed(page(element))
    #expect(try ReportFile.run(in: whole).launches.count == run.launches.count)
    Mutation.each(of: [whole], count: 800, seed: 12) { text in
      _ = try? ReportFile.run(in: text)
    }
    // With a right checksum, as a forger would write it.
    var read = 0
    Mutation.each(of: [element], count: 800, seed: 13) { text in
      if (try? ReportFile.run(in: ReportFile.sealed(page(text)))) != nil { read += 1 }
    }
    #expect(read > 0)
  }
}
