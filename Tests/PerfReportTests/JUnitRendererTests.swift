import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import PerfReport

struct JUnitRendererTests {
  private let cases: [JUnitRenderer.Case] = [
    .init(suite: "scroll:naive", name: "rss.peak <= 150 MB", outcome: .passed),
    .init(
      suite: "scroll:naive", name: "wall",
      outcome: .failed("\"wall\" < 5 & so on\u{1}\u{202E}\n")),
    .init(suite: "start:cold", name: "wall", outcome: .skipped("not decided")),
    .init(suite: "start:cold", name: "measured", outcome: .error("no worker")),
  ]

  @Test func `a JUnit document has one suite per name and one result per check`() throws {
    let document = try XMLDocument(xmlString: JUnitRenderer().render(cases))
    let suites = try document.nodes(forXPath: "/testsuites/testsuite/@name")
    #expect(suites.map(\.stringValue) == ["scroll:naive", "start:cold"])
    let counts = try document.nodes(
      forXPath: "/testsuites/@tests | /testsuites/@failures | /testsuites/@errors")
    #expect(counts.map(\.stringValue) == ["4", "1", "1"])
    let failure = try document.nodes(forXPath: "//failure/@message").first
    #expect(failure?.stringValue == "\"wall\" < 5 & so on\n")
    #expect(try document.nodes(forXPath: "//skipped").count == 1)
    #expect(try document.nodes(forXPath: "//error/@message").first?.stringValue == "no worker")
  }
}
