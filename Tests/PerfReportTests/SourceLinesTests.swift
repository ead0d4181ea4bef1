import PerfModel
import Testing

@testable import PerfReport

/// The cost of the source lines of a function.
struct SourceLinesTests {
  private static func function(_ name: String, key: String? = nil) -> Profile.Function {
    .init(name: name, key: key ?? name, module: "App", file: "App.swift")
  }

  /// A recursive function that is called in two lines, and a function that is inlined into another one.
  private static let profile = Profile(
    functions: [function("main"), function("walk(_:)"), function("leaf"), function("walker")],
    nodes: [
      .init(parent: -1, function: 0, line: 3, isInlined: false),
      .init(parent: -1, function: 0, line: 4, isInlined: false),
      .init(parent: -1, function: 0, line: 5, isInlined: false),
      .init(parent: 0, function: 1, line: 12, isInlined: false),
      .init(parent: 3, function: 1, line: 11, isInlined: false),
      .init(parent: 4, function: 2, line: 21, isInlined: false),
      .init(parent: 1, function: 1, line: 10, isInlined: false),
      .init(parent: 2, function: 2, line: 21, isInlined: true),
      .init(parent: 0, function: 3, line: 0, isInlined: false),
    ],
    threads: [.init(name: "main", cpu: 0)], phases: [""],
    counts: [
      count(3, 1), count(4, 2), count(5, 4), count(6, 8), count(7, 16), count(2, 32), count(8, 64),
      count(5, 1000, state: .waiting),
    ], timeline: [:], audit: ProfileAudit())

  private static func count(
    _ node: Int, _ weight: Double, state: Profile.State = .running
  ) -> Profile.Count {
    .init(
      launch: 0, node: node, thread: 0, phase: 0, frameClass: .none, state: state, samples: 1,
      weight: weight)
  }

  private func lines(_ name: String, launches: Int = 1) throws -> SourceLines {
    let found = SourceLines.functions(named: name, in: Self.profile)
    return SourceLines(of: try #require(found.first), in: Self.profile, launches: launches)
  }

  @Test func `a line has its own time and the time of its calls`() throws {
    let main = try lines("main")
    #expect(main.all == 127)
    #expect(main.lines[3] == cost(0, 71) && main.lines[4] == cost(0, 8))
    #expect(main.lines[5] == cost(32, 48))
  }

  @Test func `a recursive call counts for the outermost call`() throws {
    let walk = try lines("walk(_:)")
    #expect(walk.lines == [12: cost(1, 7), 11: cost(2, 0), 10: cost(8, 8)])
  }

  @Test func `an inlined function has the time of all places`() throws {
    #expect(try lines("leaf").lines == [21: cost(20, 20)])
    #expect(try lines("leaf", launches: 2).lines == [21: cost(10, 10)])
  }

  private func cost(_ own: Double, _ total: Double) -> SourceLines.Cost {
    var cost = SourceLines.Cost()
    (cost.own, cost.total) = (own, total)
    return cost
  }

  @Test func `a function is found by its name or by a part of it`() {
    func names(_ text: String) -> [String] {
      SourceLines.functions(named: text, in: Self.profile).map(\.name)
    }
    #expect(names("walk(_:)") == ["walk(_:)"])
    #expect(names("walk") == ["walk(_:)", "walker"])
    #expect(names("none").isEmpty)
  }

  @Test func `the table has the neighbours of lines with time, and marks gaps`() throws {
    let text = (1...20).map { "line \($0)" }
    let table = try lines("main").table(text)
    let rows = table.groups.flatMap(\.rows).map { $0.map(\.text) }
    #expect(
      rows == [
        ["", "", "1", "line 1"], ["", "", "2", "line 2"], ["", "55.9%", "3", "line 3"],
        ["", "6.3%", "4", "line 4"], ["25.2%", "37.8%", "5", "line 5"], ["", "", "6", "line 6"],
        ["", "", "7", "line 7"],
      ])
    let gap = try lines("leaf").table(text)
    #expect(gap.groups.flatMap(\.rows).map { $0[2].text } == ["19", "20", "21"])
    // Without the file, only the lines with time are known.
    let bare = try lines("main").table(nil)
    #expect(bare.groups.flatMap(\.rows).map { $0[2].text } == ["3", "4", "5"])
    let unknown = try lines("walker").table(nil)
    #expect(unknown.groups.flatMap(\.rows).map { $0[3].text } == ["(code without a line)"])
  }
}
