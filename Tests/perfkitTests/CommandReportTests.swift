import Foundation
import Glibc
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Reports, charts and references of stored runs.
struct CommandReportTests {
  @Test func `a full standard output is reported and fails the command`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 1)
    let result = perfkit.run(["list", "scenarios"], writeError: ENOSPC)
    #expect(result.status == .failed)
    #expect(result.errors.contains("cannot write to standard output: No space left on device"))
  }

  @Test func `an invalid scenario file fails a comparison that reads its margins`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 6)
    #expect(perfkit("run", "--all", "quick", "--no-report").status == .done)
    #expect(perfkit("run", "--all", "quick", "--no-report").status == .done)
    try perfkit.scenario("quick", "scenario: [")
    for words in [
      ["compare", "--all", "latest~1", "latest"], ["report", "latest~1", "latest"],
      ["chart", "latest", "--against", "latest~1", "--kind", "comparison", "-o", "c.svg"],
    ] {
      let result = perfkit.run(words)
      #expect(result.status == .failed)
      #expect(result.errors.contains("quick.yml"))
    }
  }

  @Test func `a report is written in each format`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 6)
    for _ in 1...2 { #expect(perfkit("run", "--all", "quick", "--no-report").status == .done) }
    let markdown = perfkit("report", "latest", "--format", "markdown", "--report", "out")
    #expect(markdown.output == "out/quick-plain.md\n")
    let text = try String(contentsOfFile: perfkit.folder("out/quick-plain.md"), encoding: .utf8)
    #expect(text == perfkit("show", "latest", "--format", "markdown").output)
    let pictures = perfkit("report", "latest~1", "latest", "--format", "png", "--report", "out")
    #expect(pictures.status == .done)
    let paths = pictures.output.split(separator: "\n")
    #expect(paths.first?.hasSuffix("-comparison.png") == true)
    for path in paths {
      let picture = try Data(contentsOf: URL(fileURLWithPath: perfkit.folder(String(path))))
      // The signature of the PNG specification, section 5.2.
      #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    }
    #expect(perfkit("report", "latest", "--format", "pdf").status == .usage)
  }

  @Test func `a ladder needs several runs, and every other chart one`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", more: "budgets: [wall <= 60 s]")
    for _ in 1...2 { #expect(perfkit("run", "--all", "quick", "--no-report").status == .done) }
    let ladder = perfkit("chart", "latest~1", "latest", "--kind", "ladder", "-o", "l.svg")
    #expect(ladder.status == .done)
    let svg = try String(contentsOfFile: perfkit.folder("l.svg"), encoding: .utf8)
    #expect(svg.contains("quick, step by step"))
    for words in [
      ["chart", "latest", "--kind", "ladder", "-o", "l.svg"],
      ["chart", "latest~1", "latest", "--kind", "memory", "-o", "m.svg"],
    ] {
      #expect(perfkit.run(words).status == .usage)
    }
  }

  @Test func `a run can be referred to by its label`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 1)
    #expect(perfkit("run", "--all", "quick", "--no-report", "--label", "before").status == .done)
    #expect(perfkit("show", "before").output.contains("before"))
    let wrong = perfkit("run", "--all", "quick", "--no-report", "--label", "latest")
    #expect(wrong.status == .usage)
    #expect(wrong.errors.contains("latest"))
  }
}
