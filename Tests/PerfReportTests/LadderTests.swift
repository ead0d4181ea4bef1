import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct LadderTests {
  private static let memory = MetricDefinition(
    name: "rss.peak", dimension: .size, direction: .lower, scale: .ratio, summary: "Memory.")
  private static let rate = MetricDefinition(
    name: "frame.rate", dimension: .frequency, direction: .higher, scale: .difference,
    summary: "Frames.")

  private static let count = MetricDefinition(
    name: "alloc.count", dimension: .count, direction: .lower, scale: .ratio,
    isDeterministic: true, summary: "Allocations.")

  /// Returns a run of launches around a size in MB and a rate.
  private func run(
    _ name: String, _ megabytes: Double, _ rate: Double, launches: Int = 6, variant: String? = nil,
    facts: [String: String] = [:]
  ) -> Run {
    Run(
      id: name, scenario: "ladder", variant: variant ?? name, label: nil,
      started: Timestamp(milliseconds: 0), seed: 1, parameters: [:], command: [],
      environment: Environment(facts: facts),
      definitions: [Self.memory, Self.rate, Self.count],
      launches: (0..<launches).map { index in
        Launch(
          index: index, isWarmup: false, status: .completed, offset: 0,
          metrics: [
            "rss.peak": (megabytes + Double(index)) * 1e6, "frame.rate": rate + Double(index) / 10,
            "alloc.count": megabytes,
          ])
      },
      budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  private var runs: [Run] {
    [run("week-0", 1200, 18), run("week-1", 400, 18.2), run("week-2", 500, 118)]
  }

  private func figure(_ metrics: [String] = ["rss.peak", "frame.rate"]) -> Figure? {
    LadderFigure.figure(of: runs, metrics: metrics, title: "Week by week")
  }

  private func bars(_ panel: Panel, _ role: Layer.Role) -> [Layer.Bar] {
    panel.layers.filter { $0.role == role }.flatMap { layer -> [Layer.Bar] in
      if case .bars(let bars) = layer.marks { bars } else { [] }
    }
  }

  /// The median of six launches is 2.5 MB above the first one.
  @Test func `each step is a bar from the value before a change to the value after it`() throws {
    let memory = try #require(figure()?.panels.first)
    #expect(memory.y.categories == ["week-0", "week-1", "week-2", "final"])
    #expect(memory.x.label == "GB")
    #expect(
      bars(memory, .primary)
        == [.init(row: 0, from: 0, to: 1.2025), .init(row: 3, from: 0, to: 0.5025)])
    #expect(bars(memory, .good) == [.init(row: 1, from: 1.2025, to: 0.4025)])
    #expect(bars(memory, .bad) == [.init(row: 2, from: 0.4025, to: 0.5025)])
  }

  @Test func `an increase of a rate is better and overlapping intervals are no change`() throws {
    let rate = try #require(figure()?.panels.last)
    #expect(bars(rate, .muted).map(\.row) == [1])
    #expect(bars(rate, .good).map(\.row) == [2])
    #expect(bars(rate, .bad) == [])
  }

  /// A median of fewer than six launches has no interval.
  @Test func `a step between too few launches is neutral unless the metric is deterministic`()
    throws
  {
    let few = [run("a", 50, 18, launches: 5), run("b", 49, 18, launches: 5)]
    let figure = try #require(
      LadderFigure.figure(of: few, metrics: ["rss.peak", "alloc.count"], title: ""))
    #expect(bars(figure.panels[0], .muted).map(\.row) == [1])
    #expect(bars(figure.panels[1], .good).map(\.row) == [1])
  }

  @Test func `the states of one variant are named by their commits, or by their runs`() {
    func summary(_ facts: [[String: String]]) -> String? {
      LadderFigure.figure(
        of: facts.enumerated().map { index, facts in
          run("r\(index)", 100 + Double(index), 1, launches: 1, variant: "default", facts: facts)
        }, metrics: ["alloc.count"], title: "")?.summary
    }
    let commits = ["a", "b"].map { ["commit": String(repeating: $0, count: 40)] }
    #expect(summary(commits) == "alloc.count: aaaaaaaaaa 100, bbbbbbbbbb 101.")
    #expect(summary([commits[0], commits[0]]) == "alloc.count: r0 100, r1 101.")
    #expect(summary([[:], [:]]) == "alloc.count: r0 100, r1 101.")
  }

  @Test func `a metric that a run lacks is omitted from a ladder`() {
    #expect(figure(["rss.peak", "wall"])?.panels.count == 1)
    #expect(figure(["wall"]) == nil)
    #expect(LadderFigure.figure(of: [run("a", 1, 1)], metrics: ["rss.peak"], title: "") == nil)
  }

  @Test func `the charts of a ladder match their snapshots`() throws {
    let figure = try #require(self.figure())
    expectSnapshot(SVGFigure.document(figure), "ladder.svg")
    expectSnapshot(
      GnuplotScript(figure: figure, format: .svg).text, "ladder.gp")
  }
}
