import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The comparison of two HTML reports.
struct CompareReportTests {
  @Test func `two reports are compared like the runs in the store`() throws {
    let perfkit = try TestCommand.measuring(
      "quick", "[/bin/true]", iterations: 6, more: "budgets: [wall <= 60 s]")
    for folder in ["a", "b"] {
      #expect(perfkit("run", "--all", "quick", "--report", folder).status == .done)
    }
    let stored = perfkit("compare", "--all", "latest~1", "latest", "--format", "json")
    let filed = perfkit(
      "compare", "--all", "a/quick-plain.html", "b/quick-plain.html", "--format", "json", "--store",
      "none")
    #expect(filed.status == .done, "\(filed.errors)")
    let (one, other) = (try stored.json(), try filed.json())
    #expect(other["metrics"] as? NSArray == one["metrics"] as? NSArray)
    #expect(other["verdict"] as? String == one["verdict"] as? String)
    let short = perfkit("compare", "a/quick-plain.html", "b/quick-plain.html", "--store", "none")
    #expect(short.prints("all repeat the command with --all"), "\(short.output)")
    let page = perfkit(
      "compare", "--all", "a/quick-plain.html", "b/quick-plain.html", "--report", "c")
    #expect(page.status == .done)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: perfkit.folder("c")).count == 1)
  }

  @Test func `a report that cannot be compared is refused with its path and the remedy`() throws {
    let perfkit = try TestCommand.measuring("quick", "[/bin/true]", iterations: 1)
    #expect(perfkit("run", "--all", "quick", "--report", "a").status == .done)
    let path = perfkit.folder("a/quick-plain.html")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    // The last byte is the first one of a character of two bytes.
    try (Data(text.utf8.prefix(text.utf8.count / 2)) + [0xC3])
      .write(to: URL(fileURLWithPath: perfkit.folder("within.html")))
    let within = perfkit("compare", "within.html", "a/quick-plain.html")
    #expect(within.errors.contains("cannot compare 'within.html': it was cut off"))
    for (file, content, words) in [
      ("cut.html", String(text.prefix(text.count / 2)), "it was cut off"),
      ("empty.html", "", "it was cut off"),
      ("edited.html", text.replacing("<h1>", with: "<h1>My "), "it was edited"),
      (
        "newer.html", text.replacing("<!-- perfkit.page/1", with: "<!-- perfkit.page/2"),
        "it has the form perfkit.page/2, and this perfkit reads perfkit.page/1"
      ),
      ("other.html", "<html></html>", "it is no report of PerfKit"),
    ] {
      try content.write(toFile: perfkit.folder(file), atomically: true, encoding: .utf8)
      let result = perfkit("compare", "--all", "a/quick-plain.html", file)
      #expect(result.status == .failed)
      #expect(result.errors.contains("cannot compare '\(file)': \(words)"), "\(result.errors)")
    }
    #expect(
      perfkit("compare", "--all", "a/quick-plain.html", "none.html").errors.contains("none.html"))
    let mixed = perfkit("compare", "--all", "a/quick-plain.html", "latest")
    #expect(mixed.status == .usage)
    #expect(mixed.errors.contains("'latest' is no HTML report"))
  }
}
