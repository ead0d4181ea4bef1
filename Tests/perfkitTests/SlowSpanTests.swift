import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// The slowest phases and signposts of a sample run, whose frames have the phases layout and composite.
struct SlowSpanTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
      .save(SampleRuns.run(variant: "naive", launches: 2, samples: 4000, id: "marked"))
  }

  @Test func `the slowest phases are compared with the middle half`() throws {
    let text = perfkit("show", "marked", "--phase", "layout", "--slowest", "5%").output
    #expect(text.contains("The slowest 'layout'"))
    #expect(text.contains("CPU time, self"))
    let json = try perfkit(
      "show", "marked", "--phase", "layout", "--slowest", "5%", "--format", "json"
    ).json()
    let slow = try #require(json["slow_spans"] as? [String: Any])
    let count = try #require(slow["spans"] as? Int)
    func side(_ name: String) throws -> (spans: Int, duration: Double) {
      let side = try #require(slow[name] as? [String: Any])
      return (
        try #require(side["spans"] as? Int), try #require(side["duration_mean"] as? Double)
      )
    }
    #expect(try side("slow").spans == Int((Double(count) * 0.05).rounded(.up)))
    #expect(try side("middle").spans == count - 2 * (count / 4))
    #expect(try side("slow").duration > side("middle").duration)
    #expect((slow["running"] as? [Any])?.isEmpty == false)
    // Without the option there are none.
    #expect(try perfkit("show", "marked", "--format", "json").json()["slow_spans"] is NSNull)
  }

  @Test func `the flame graph of the slowest signposts is a differential one`() throws {
    let result = perfkit(
      "flamegraph", "marked", "--signpost", "page", "--slowest", "10%", "-o", "-")
    #expect(result.status == .done)
    #expect(result.output.contains("scroll-1000:naive: The slowest"))
    #expect(result.output.contains("signposts &#39;page&#39; take"))
  }

  @Test func `a report has the table of the slowest spans`() throws {
    let result = perfkit(
      "report", "marked", "--format", "markdown", "--phase", "layout", "--slowest", "5%",
      "--report", perfkit.folder("reports"))
    #expect(result.status == .done)
    let folder = perfkit.folder("reports")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      $0.hasSuffix(".md")
    }
    let text = try String(contentsOfFile: "\(folder)/\(#require(files.first))", encoding: .utf8)
    #expect(text.contains("The slowest 'layout'"))
  }

  @Test(arguments: [
    (["show", "marked", "--slowest", "1%"], "--slowest needs spans: add --signpost NAME", 64),
    (["show", "marked", "--phase", "layout"], "--phase needs --slowest, e.g. --slowest 1%", 64),
    (
      ["show", "marked", "--phase", "layout", "--signpost", "page", "--slowest", "1%"],
      "takes one kind of spans", 64
    ),
    (
      ["show", "marked", "--phase", "layout", "--slowest", "30%"],
      "must be above 0% and at most 25%, e.g. 1%, not '30%'", 64
    ),
    (["show", "marked", "--phase", "layout", "--slowest", "0%"], "not '0%'", 64),
    (["show", "marked", "--phase", "layout", "--slowest", "2ms"], "not '2ms'", 64),
    (
      ["show", "marked", "--phase", "layuot", "--slowest", "1%"],
      "run marked has no phase 'layuot'; it has composite, layout; did you mean 'layout'?", 2
    ),
    (
      ["flamegraph", "marked", "--phase", "layout", "--slowest", "1%", "--allocations", "-o", "-"],
      "leave out --allocations.", 64
    ),
    (
      ["report", "marked", "marked", "--phase", "layout", "--slowest", "1%"], "name one run.", 64
    ),
  ])
  func `an impossible choice of spans is refused with the reason`(
    words: [String], message: String, exit: Int32
  ) {
    let result = perfkit.run(words)
    #expect(result.status.rawValue == exit)
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
