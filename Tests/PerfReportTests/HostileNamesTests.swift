import Foundation
import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

/// Tests with hostile names, which come from measured programs and users.
struct HostileNamesTests {
  private static let hostile = "</script><img src=x onerror=alert(1)>\"'&`system('id')` \u{1B}[31m"

  private static let run: Run = {
    let sample = SampleRuns.run(launches: 2, samples: 40, fling: 200)
    let profile = Profile(
      functions: [.init(name: hostile, key: hostile, module: hostile, file: nil)],
      nodes: [.init(parent: -1, function: 0, line: 0, isInlined: false)],
      threads: [.init(name: hostile, cpu: 1), .init(name: "other", cpu: 1)],
      phases: ["", hostile],
      counts: [
        .init(
          launch: 1, node: 0, thread: 0, phase: 1, frameClass: .missed, state: .running,
          samples: 2, weight: 2e6)
      ], timeline: [:], audit: ProfileAudit())
    return Run(
      id: sample.id, scenario: hostile, variant: hostile, label: hostile, started: sample.started,
      seed: 1, parameters: [hostile: .string(hostile)], command: ["run", hostile],
      environment: Environment(facts: [hostile: hostile]), definitions: sample.definitions,
      launches: sample.launches, budgets: sample.budgets, profile: profile,
      warnings: [RunWarning(code: "x", message: hostile, remedy: hostile)], wasInterrupted: false)
  }()

  private static let document = SampleDocuments.document(of: run)

  private static let comparison = SampleComparisons.document(base: document, candidate: document)

  /// The page itself has two script elements: data and script.
  @Test func `no name escapes from its element in HTML`() throws {
    for html in [Self.document.html(), Self.comparison.html()] {
      #expect(!html.contains("<img"))
      #expect(!html.contains("\u{1B}"))
      #expect(html.components(separatedBy: "</script>").count == 3)
      #expect(html.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"))
    }
  }

  @Test func `the data of flame graphs can be parsed for any names`() throws {
    let html = Self.document.html()
    let begin = try #require(html.range(of: "id=\"flame-data\">"))
    let end = try #require(html[begin.upperBound...].range(of: "</script>"))
    let data = Data(html[begin.upperBound..<end.lowerBound].utf8)
    let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let functions = try #require(members["functions"] as? [[Any]])
    #expect(functions.first?.first as? String == Self.hostile)
    #expect(members["phases"] as? [String] == ["", Self.hostile])
  }

  @Test func `flame graphs and charts with any names are well-formed XML`() throws {
    let figure = try Self.document.figure(.metrics).titled(Self.hostile)
    let graphs = [
      try #require(FlameGraph(Self.run)).svg(),
      try #require(FlameGraph(Self.run, against: Self.run)).svg(), SVGFigure.document(figure),
    ]
    for graph in graphs {
      #expect(!graph.contains("<img"))
      #expect(MarkupCheck.problem(in: graph) == nil)
    }
  }

  @Test func `no wrapped line of a text is a command for GitHub`() {
    // The width of 40 columns lets the second word begin the second line.
    let words = String(repeating: "x", count: 38) + " ::add-mask::y"
    let table = Table(
      id: "t", title: "", columns: [.init("name")], rows: [[.init("::add-mask::z")]])
    let text = TextRenderer(width: 40).render(
      Document(title: "t", blocks: [.paragraph(words), .table(table)]))
    #expect(text.contains("\n| ::add-mask::y\n"), "\(text)")
    #expect(text.contains("\n| ::add-mask::z\n"), "\(text)")
  }

  @Test func `no name controls a terminal or begins markup in Markdown`() {
    let text = TextRenderer().render(Self.document.document)
    #expect(!text.contains("\u{1B}"))
    let markdown = MarkdownRenderer().render(Self.document.document)
    #expect(!markdown.contains("<img"))
    #expect(!markdown.contains("\u{1B}"))
  }

  /// U+0600 combines with the following character, and U+0301 with the preceding one.
  @Test func `a special character that is part of a combined character is escaped`() throws {
    let shown = [
      (HTMLRenderer.insideScript("\u{600}</script>"), "\u{600}\\u003c/script>"),
      (MarkdownRenderer.escape("\u{600}<img> |\u{301}"), "\u{600}&lt;img&gt; \\|\u{301}"),
      (GnuplotScript.quoted("\u{600}'`id`'\u{301}"), "'\u{600}''`id`''\u{301}'"),
      (Wording.command(["\u{600}';id"]), "'\u{600}'\\'';id'"),
      (
        CSVRenderer().render(header: ["a,\u{301}", "\u{600}\""], rows: []),
        "\"a,\u{301}\",\"\u{600}\"\"\"\n"
      ),
    ]
    for (text, expected) in shown {
      #expect(text.utf8.elementsEqual(expected.utf8), "\(text)")
    }
  }

  @Test func `a special character that is part of a combined character is escaped in templates`()
    throws
  {
    let name = "\u{600}<img src=x>\u{600}</script>"
    let table = Table(id: "t", title: name, columns: [.init(name)], rows: [[.init(name)]])
    let html = HTMLRenderer().render(table).utf8
    #expect(html.ranges(of: "<img".utf8).isEmpty)
    #expect(html.ranges(of: "</script".utf8).isEmpty)
    #expect(html.ranges(of: "\u{600}&lt;img src=x&gt;\u{600}&lt;/script&gt;".utf8).count >= 3)
  }

  /// gnuplot executes text in backquotes, except within single quotes.
  @Test func `gnuplot gets every name in single quotes`() throws {
    let figure = try Self.document.figure(.metrics).titled("a'b`id`\n\\")
    let script = GnuplotScript(figure: figure, format: .png).text
    #expect(script.contains("'a''b`id` \\'"))
    #expect(script.hasPrefix("# a'b`id` /\n"))
  }
}
