import PerfModel
import Testing

@testable import PerfReport

/// Intervals and commands in texts.
struct WordingTests {
  @Test func `an interval is in the unit of its value and an open side is marked`() {
    #expect(Wording.interval(7.9e6, 8.4e6, around: 8.1e6, .time) == "[7.9, 8.4]")
    #expect(Wording.interval(0, 8.4e6, around: 0, .time) == "[0, 8.4] ms")
    #expect(Wording.interval(0, 0, around: 0, .ratio) == "[0, 0]")
    #expect(Wording.interval(nil, 5, around: 4, .count) == "[open, 5]")
    #expect(Wording.interval(nil, nil, around: 4, .count) == "-")
  }

  @Test func `the interval of a difference has a unit`() {
    func interval(
      _ low: Double, _ high: Double, _ dimension: Dimension, _ scale: MetricScale = .difference
    ) -> String {
      Wording.changeInterval(
        MetricComparison(
          definition: MetricDefinition(
            name: "m", dimension: dimension, direction: .lower, scale: scale, summary: ""),
          base: nil, candidate: nil, ratio: nil, estimate: (low + high) / 2, low: low, high: high,
          p: nil, n: (6, 6), margin: nil, isGating: true, verdict: .inconclusive))
    }
    #expect(interval(-126.8e6, 556e6, .time) == "[-126.8, 556] ms")
    #expect(interval(-3, 5, .count) == "[-3, 5]")
    #expect(interval(-0.02, 0.015, .ratio) == "[-2, 1.5] pp")
    #expect(interval(-0.02, 0.03, .time, .ratio) == "[-2%, +3%]")
  }

  @Test func `a command is quoted like in a shell`() {
    #expect(
      Wording.command(["run", "a b", "it's", "--set", "x=1"]) == "run 'a b' 'it'\\''s' --set x=1")
  }
}
