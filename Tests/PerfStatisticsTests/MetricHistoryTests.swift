import PerfModel
import Testing

@testable import PerfStatistics

struct MetricHistoryTests {
  private func run(
    _ commit: String?, _ values: Double..., hour: Int64, id: String? = nil, dirty: Bool = false,
    build: String? = nil, metric: String = "wall", cpu: String = "cpu", parameters: Parameters = [:]
  ) -> Run {
    var environment: [Environment.Key: String] = [.dirty: "\(dirty)", .cpuModel: cpu]
    environment[.commit] = commit
    environment[.buildIdentity] = build
    return TestRuns.run(
      [metric: values], id: id ?? "r\(hour)", environment: environment, parameters: parameters,
      hour: hour)
  }

  /// Returns ten commits around 100 and ten around `after`; both groups have the same shape.
  private func step(to after: Double, metric: String = "wall") -> [Run] {
    (0..<20).map { index in
      let level = index < 10 ? 100 : after
      return run(
        "c\(index)", level * (1 + Double((index * 7) % 5 - 2) / 200), hour: Int64(index),
        metric: metric)
    }
  }

  @Test func `commits are in repository order and runs of one commit form one point`() throws {
    let runs = [
      run("c1", 100, hour: 5), run("c0", 88, 90, 95, hour: 9), run("c1", 110, hour: 7),
    ]
    let history = try #require(MetricHistory(of: runs, metric: "wall", order: ["c0", "c1"]))
    #expect(history.points.map(\.commit) == ["c0", "c1"])
    #expect(history.points.map(\.value) == [90, 105])
    // A median of three launches has no 95 % interval.
    #expect(history.points[0].low == nil)
    #expect(history.points[1].runs == ["r5", "r7"])
    #expect(history.points[1].low == 100 && history.points[1].high == 110)
    #expect(history.points[1].started == Timestamp(milliseconds: 5 * 3_600_000))
  }

  @Test func `commits that are missing in the order are placed by time`() throws {
    let runs = [
      run("c0", 1, hour: 1), run("c1", 1, hour: 3), run("gone", 1, hour: 2), run(nil, 1, hour: 0),
      run("c2", 1, hour: 5),
    ]
    let history = try #require(
      MetricHistory(of: runs, metric: "wall", order: ["c0", "c1", "between", "c2"]))
    #expect(history.points.map(\.commit) == [nil, "c0", "gone", "c1", "c2"])
    let inTime = try #require(MetricHistory(of: runs, metric: "wall"))
    #expect(inTime.points.map(\.runs) == [["r0"], ["r1"], ["r2"], ["r3"], ["r5"]])
  }

  @Test func `uncommitted changes follow their commit, with one point per build`() throws {
    let runs = [
      run("c0", 3, hour: 1, dirty: true, build: "b1"), run("c0", 1, hour: 2),
      run("c0", 5, hour: 3, dirty: true, build: "b1"), run("c0", 9, hour: 4, dirty: true),
      run("c1", 2, hour: 0),
    ]
    let history = try #require(MetricHistory(of: runs, metric: "wall", order: ["c0", "c1"]))
    #expect(history.points.map(\.value) == [1, 4, 9, 2])
    #expect(history.points.map(\.isDirty) == [false, true, true, false])
  }

  @Test func `a change has a size, a place and the number of unmeasured commits`() throws {
    let order = (0..<10).map { "c\($0)" } + ["x", "y"] + (10..<20).map { "c\($0)" }
    let history = try #require(MetricHistory(of: step(to: 110), metric: "wall", order: order))
    let change = try #require(history.changes.first)
    #expect(history.changes.count == 1)
    #expect(change.index == 10)
    // Both sides have the same shape, so the median of all ratios is the step itself.
    #expect(isClose(change.size.value, 0.1))
    let interval = try #require(change.size.interval)
    #expect(interval.lowerBound > 0.08 && interval.upperBound < 0.12)
    #expect(change.p == 1 / 500.0)
    #expect(change.before == 100 && isClose(change.after, 110))
    #expect(change.verdict == .regressed)
    #expect(change.unmeasured == 2)
    #expect(MetricHistory(of: step(to: 110), metric: "wall")?.changes.first?.unmeasured == nil)
  }

  @Test func `the metric determines whether a change is better or worse`() throws {
    #expect(MetricHistory(of: step(to: 90), metric: "wall")?.changes.first?.verdict == .improved)
    let rate = try #require(
      MetricHistory(of: step(to: 90, metric: "frame.rate"), metric: "frame.rate")?.changes.first)
    #expect(rate.verdict == .regressed)
    // A rate is compared as a difference.
    #expect(isClose(rate.size.value, -10, within: 0.5))
    let count = MetricHistory(of: step(to: 90, metric: "frame.count"), metric: "frame.count")
    #expect(count?.changes.count == 1 && count?.changes.first?.verdict == nil)
  }

  @Test func `the latest values that are far from the others are not judged yet`() throws {
    // 99 to 101 before: more than 103 or less than 97 is beyond the range by its width. The values are compared
    // as logarithms, which changes these limits by less than 0.1.
    func unjudged(_ latest: [Double]) throws -> Range<Int> {
      let runs =
        step(to: 100).prefix(12)
        + latest.enumerated().map { index, value in
          run("d\(index)", value, hour: Int64(100 + index))
        }
      let history = try #require(MetricHistory(of: Array(runs), metric: "wall"))
      #expect(history.changes.isEmpty)
      return history.unjudged
    }
    #expect(try unjudged([150]) == 12..<13)
    #expect(try unjudged([90]) == 12..<13)
    #expect(try unjudged([103.2]) == 12..<13)
    #expect(try unjudged([102.8]).isEmpty)
    // The last value is back at the level.
    #expect(try unjudged([150, 100]).isEmpty)
    #expect(try unjudged([100, 150]) == 13..<14)
    #expect(try unjudged([]).isEmpty)
  }

  @Test func `the first values that are far from the others are not judged either`() throws {
    func first(_ values: [Double]) throws -> Range<Int> {
      let runs =
        values.enumerated().map { run("d\($0)", $1, hour: Int64($0) - 100) }
        + step(to: 100).prefix(12)
      let history = try #require(MetricHistory(of: Array(runs), metric: "wall"))
      return history.changes.isEmpty ? history.unjudgedFirst : 0..<0
    }
    #expect(try first([150]) == 0..<1)
    #expect(try first([90]) == 0..<1)
    #expect(try first([100]).isEmpty)
    #expect(try first([100, 150]).isEmpty)
  }

  @Test func `nine commits are too few for a change`() throws {
    let short = step(to: 200).filter { Int($0.id.dropFirst()).map { $0 < 14 && $0 > 4 } ?? false }
    let history = try #require(MetricHistory(of: short, metric: "wall"))
    #expect(history.points.count == 9)
    #expect(history.changes.isEmpty)
  }

  @Test func `runs that differ from the latest are excluded with a reason`() throws {
    let runs = [
      run("c0", 1, hour: 0, cpu: "another"), run("c1", 1, hour: 1, parameters: ["books": .int(20)]),
      run("c2", 1, hour: 2, parameters: ["books": .int(10)]), run("c3", hour: 3),
      run("c4", .nan, hour: 4), run("c5", 1, hour: 5, parameters: ["books": .int(10)]),
    ]
    let history = try #require(MetricHistory(of: runs, metric: "wall"))
    #expect(history.points.map(\.commit) == ["c2", "c5"])
    #expect(
      history.omissions == [
        .init(reason: "without a value of wall", count: 2),
        .init(reason: "measured in another environment (cpu.model another)", count: 1),
        .init(reason: "measured with other parameters (books = 20)", count: 1),
      ])
    let all = MetricHistory(of: runs, metric: "wall", allowsDifferentEnvironments: true)
    #expect(all?.points.count == 3)
  }

  @Test func `runs of a command with other arguments are excluded`() throws {
    let runs = [("c0", "1000"), ("c1", "2000"), ("c2", nil), ("c3", "2000")].enumerated().map {
      index, pair in
      TestRuns.run(
        ["wall": [1]], id: "r\(index)",
        environment: [.commit: pair.0, .arguments: pair.1].compactMapValues(\.self),
        hour: Int64(index))
    }
    let history = try #require(MetricHistory(of: runs, metric: "wall"))
    // A run of an earlier version does not have its arguments.
    #expect(history.points.map(\.commit) == ["c1", "c2", "c3"])
    #expect(
      history.omissions == [
        .init(reason: "measured with other arguments of the command (1000)", count: 1)
      ])
    let pair = [runs[0], runs[1]]
    #expect(
      try RunComparer().compare(pair[0], pair[1]).warnings.filter {
        $0.code == "comparison.arguments_differ"
      }.map(\.message) == ["the commands have different arguments, '1000' and '2000'"])
    let baseline = try RunComparer().compare(runs[3], sessions: [runs[0], runs[1]])
    #expect(baseline.sessions == 1)
  }

  @Test func `runs of outdated programs and other branches are excluded if there are others`()
    throws
  {
    let outdated = RunWarning(code: RunWarning.outdatedCode, message: "work.c changed")
    func run(_ hour: Int64, _ warnings: [RunWarning]) -> Run {
      TestRuns.run(
        ["wall": [1]], id: "r\(hour)", environment: [.commit: "c\(hour)"], hour: hour,
        warnings: warnings)
    }
    let runs = [run(0, []), run(1, [outdated]), run(2, [])]
    let history = try #require(MetricHistory(of: runs, metric: "wall"))
    #expect(history.points.map(\.commit) == ["c0", "c2"])
    #expect(
      history.omissions == [
        .init(
          reason: "of programs that were built before their source changed, or during the run",
          count: 1)
      ])
    let recent = try #require(MetricHistory(of: Array(runs.prefix(2)), metric: "wall"))
    #expect(recent.points.map(\.commit) == ["c0"])
    let alone = try #require(MetricHistory(of: [runs[1]], metric: "wall"))
    #expect(alone.points.map(\.commit) == ["c1"] && alone.omissions.isEmpty)

    let branch = try #require(MetricHistory(of: runs, metric: "wall", elsewhere: ["c2"]))
    #expect(branch.points.map(\.commit) == ["c0"])
    #expect(
      branch.omissions.contains(.init(reason: "of commits that HEAD does not contain", count: 1)))
  }

  @Test func `a limit keeps the latest commits and counts the others`() throws {
    let history = try #require(MetricHistory(of: step(to: 100), metric: "wall", limit: 12))
    #expect(history.points.first?.commit == "c8")
    #expect(history.earlier == 8)
  }

  @Test func `runs without a value have no history`() {
    #expect(MetricHistory(of: [], metric: "wall") == nil)
    #expect(MetricHistory(of: [run("c0", .nan, hour: 0)], metric: "wall") == nil)
    #expect(MetricHistory(of: [run("c0", 1, hour: 0)], metric: "rss.peak") == nil)
  }
}
