import Testing

@testable import PerfReport

/// The fitting of words, rows and titles into the width of a terminal.
struct TextWidthTests {
  @Test func `words are wrapped at the width and longer words continue on the next line`() {
    #expect(TextWrapping.lines(of: "one two three", width: 7) == ["one two", "three"])
    #expect(TextWrapping.lines(of: "a abcdefg b", width: 4) == ["a", "abcd", "efg", "b"])
    #expect(TextWrapping.lines(of: "abcdef g", width: 4) == ["abcd", "ef g"])
    #expect(TextWrapping.lines(of: "a /usr/lib/b", width: 7) == ["a", "/usr/", "lib/b"])
    #expect(TextWrapping.lines(of: "/abcdefgh", width: 7) == ["/abcdef", "gh"])
    #expect(TextWrapping.lines(of: "", width: 4) == [""])
  }

  @Test func `a longer word of a paragraph has its own line, so that it can be copied`() {
    let lines = TextWrapping.lines(of: "a abcdefgh b", width: 4, keepsWords: true)
    #expect(lines == ["a", "abcdefgh", "b"])
    let path = "Reports/" + String(repeating: "scroll", count: 20) + ".html"
    let text = TextRenderer().render(
      Document(
        title: "", blocks: [.paragraph("Report: \(path)"), .verdict("Report: \(path)", .good)]))
    #expect(text.hasPrefix("Report:\n\(path)\n\n"))
    #expect(text.split(separator: "\n").count { $0.count > 80 } == 1)
  }

  /// A text of so many characters without a space.
  static func word(_ count: Int) -> String { String(repeating: "w", count: count) }

  @Test(
    arguments: [
      // Four columns that must not be shortened, of 2 + 12 + 2 + 30 + 2 + 30 + 2 + 12 = 92 characters.
      (
        [12, 30, 30, 12], Table.Column("c"),
        ["\(TextWidthTests.word(12))  \(TextWidthTests.word(30))  \(TextWidthTests.word(30))"]
      ),
      ([100, 30], Table.Column("c"), [TextWrapping.shortened(TextWidthTests.word(100), to: 78)]),
      (
        [30, 200], Table.Column("c", isProse: true),
        ["\(TextWidthTests.word(30))  \(TextWidthTests.word(46))"]
      ),
      ([70, 40], Table.Column("c", isFlexible: true), [TextWidthTests.word(70)]),
      (
        [20, 200], Table.Column("c", isDetail: true),
        [TextWidthTests.word(20), "    c", "    \(TextWidthTests.word(74))"]
      ),
    ] as [([Int], Table.Column, [String])])
  func `a row that is too long continues on further lines`(
    lengths: [Int], last: Table.Column, begin: [String]
  ) {
    let columns = lengths.dropLast().map { _ in Table.Column("c") } + [last]
    let table = Table(
      id: "t", title: Self.word(90), columns: columns,
      groups: [.init(title: Self.word(90), rows: [lengths.map { .init(Self.word($0)) }])])
    let text = TextRenderer().render(Document(title: "", blocks: [.table(table)]))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.count > 80 } == [], "\(text)")
    // The titles of the table, the columns and the group take two lines, one line and two lines.
    #expect(
      lines.dropFirst(5).prefix(begin.count).map { String($0.dropFirst(2)) } == begin, "\(text)")
    // Only a column without room for a line of its own is shortened.
    let count = text.count { $0 == "w" }
    #expect(count == 180 + lengths.reduce(0, +) || text.contains("…"), "\(text)")
  }

  @Test func `a shortened name keeps both of its ends`() {
    #expect(TextWrapping.shortened("abcdefghij", to: 7) == "abc…hij")
    #expect(TextWrapping.shortened("abc", to: 7) == "abc")
  }

  @Test func `a shortened line of code keeps its beginning`() {
    #expect(TextWrapping.begun("  if x { y() }", to: 7) == "  if x…")
    #expect(TextWrapping.begun("abc", to: 3) == "abc")
  }

  // A margin of 2, a name of 30, a bar of 4, a verdict of 9 and two gaps of 2 take 49 columns.
  @Test(arguments: [(49, "│━●━  regressed"), (48, "regressed")])
  func `an extra column is left out where a row has no room for it`(
    width: Int, end: String
  ) throws {
    let name = "frame.hitch_time_ratio.wall.p5"
    let table = Table(
      id: "t", title: "",
      columns: [.init("metric", isFlexible: true), .init("bar", isExtra: true), .init("verdict")],
      rows: [[.init(name), .init("│━●━"), .init("regressed")]])
    let line = try #require(
      TextRenderer(width: width).render(Document(title: "", blocks: [.table(table)]))
        .split(separator: "\n").last)
    #expect(line == "  \(name)  \(end)")
  }

  @Test func `two columns that may be shortened share the lack of room`() throws {
    let text = String(repeating: "abcdefghi ", count: 4)
    let table = Table(
      id: "t", title: "",
      columns: [
        .init("base", isFlexible: true), .init("candidate", isFlexible: true), .init("state"),
      ], rows: [[.init(text), .init(text), .init("unfinished")]])
    let line = try #require(
      TextRenderer(width: 60).render(Document(title: "", blocks: [.table(table)]))
        .split(separator: "\n").last)
    // 60 columns without three gaps of two and "unfinished" leave 44 for two columns.
    let cell = TextWrapping.shortened(text, to: 22)
    #expect(line == "  \(cell)  \(cell)  unfinished")
  }
}
