import Foundation
import PerfGate
import PerfModel
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit annotate`.
struct AnnotateTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try perfkit.copy(program: "work.c")
    try perfkit.compile(perfkit.folder("work.c"), "-g", "-o", "work")
  }

  private func record() {
    let result = perfkit("record", "--all", "--no-report", "--", perfkit.folder("work"))
    #expect(result.status == .done, "\(result.errors)")
  }

  @Test func `the lines of a function are printed with their shares`() throws {
    record()
    let result = perfkit("annotate", "latest", "work")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.contains("sum += i * i;"))
    #expect(!result.output.contains("has changed"))
    let json = try perfkit("annotate", "latest", "main", "--format", "json").json()
    let rows = try #require(json["lines"] as? [[String: Any]])
    let call = try #require(
      rows.first { ($0["source"] as? String)?.contains("work(1000000)") == true })
    #expect(call["line"] as? Int == 9)
    #expect(try #require(call["total_ns"] as? Double) > 0)
  }

  @Test(arguments: ["after the run", "between build and run"])
  func `a changed source file is told`(moment: String) throws {
    record()
    let file = moment == "after the run" ? "work.c" : "work"
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: file == "work" ? -3600 : 60)],
      ofItemAtPath: perfkit.folder(file))
    let told = "has changed since the program was built"
    #expect(perfkit("annotate", "latest", "work").prints(told))
  }

  @Test func `a missing source file is told`() throws {
    record()
    let path = perfkit.folder("work.c")
    try FileManager.default.removeItem(atPath: path)
    let result = perfkit("annotate", "latest", "work")
    #expect(result.status == .done && result.prints("only the numbers of lines"))
    #expect(!result.output.contains("sum +="))
  }

  @Test func `a report can include the source lines of the functions`() throws {
    record()
    func page(_ words: String...) throws -> String {
      let result = perfkit.run(["report", "latest", "--report", "out"] + words)
      #expect(result.status == .done, "\(result.errors)")
      let path = result.output.trimmingCharacters(in: .newlines)
      return try String(contentsOfFile: perfkit.folder(path), encoding: .utf8)
    }
    let with = try page("--sources")
    #expect(with.contains("<details class=\"source\" id=\"source-0\">"))
    #expect(with.contains("sum += i * i;"))
    // The flame graph's click leads to the lines of the function.
    #expect(with.contains("\"source-0\""))
    #expect(try !page().contains("sum += i * i;"))
    let refused = perfkit("report", "latest", "--sources", "--format", "markdown")
    #expect(refused.status == .usage && refused.says("--sources needs one run and --format html"))
  }

  @Test func `unknown, ambiguous and undescribed functions are refused`() throws {
    record()
    let unknown = perfkit("annotate", "latest", "wrok")
    #expect(unknown.status == .failed && unknown.says("has no sampled function 'wrok'"))
    #expect(unknown.says("did you mean 'work'?"))
    let several = perfkit("annotate", "latest", "_")
    #expect(several.status == .usage && several.says("contain '_'"))
    let bare = perfkit("annotate", "latest", "_start")
    #expect(bare.status == .failed && bare.says("Build it with -g."), "\(bare.errors)")
    #expect(perfkit("annotate", "none", "work").status == .failed)
    #expect(perfkit("annotate", "latest").status == .usage)
  }
}
