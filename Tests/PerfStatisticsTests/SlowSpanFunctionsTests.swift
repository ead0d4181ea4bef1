import PerfModel
import Testing

@testable import PerfStatistics

struct SlowSpanFunctionsTests {
  private func side(_ values: [Double]) -> WelchTest.Side {
    SpanTimes.Sums(
      sum: values.reduce(0, +), squares: values.reduce(0) { $0 + $1 * $1 }
    ).moments(of: values.count)
  }

  @Test func `the test agrees with the sleep data of Student`() throws {
    // Student 1908, doi:10.2307/2331554: additional hours of sleep by two drugs. Welch's test has
    // t = 1.8608 and 17.776 degrees of freedom, here 17. With the quantile 2.109816 of 17 degrees, the
    // reach is 0.849091 x 2.109816 = 1.791426; p is 0.080157 by numerical integration.
    let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]
    let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    let test = WelchTest(from: side(first), to: side(second))
    let interval = try #require(test.interval)
    #expect(isClose(interval.lowerBound, 1.58 - 1.791426, within: 1e-5))
    #expect(isClose(interval.upperBound, 1.58 + 1.791426, within: 1e-5))
    #expect(isClose(test.p, 0.080157, within: 1e-5))
  }

  @Test func `a side of one span and sides without variation have no interval`() {
    #expect(WelchTest(from: side([1, 2, 3]), to: side([9])).interval == nil)
    #expect(WelchTest(from: side([1, 1, 1]), to: side([2, 2])).p == nil)
  }

  /// The nodes: main calls work, work calls copy, and copy calls work.
  private static let nodes = [(-1, 0), (0, 1), (1, 2), (2, 1)].map {
    Profile.Node(parent: $0.0, function: $0.1, line: 0, isInlined: false)
  }

  /// Returns spans with this number of samples of each node, one millisecond each.
  private func spans(_ samples: [[Int]], share: Double) throws -> SlowSpans {
    var moments: [Profile.Moment] = []
    var spans: [Span] = []
    for (index, nodes) in samples.enumerated() {
      let began = UInt64(index) * 1_000_000_000
      for node in nodes.indices {
        for _ in 0..<nodes[node] {
          moments.append(
            Profile.Moment(
              time: began + UInt64(moments.count), node: node, thread: 0, serial: 1, phase: 0,
              frameClass: .none, state: .running, cpu: 1_000_000))
        }
      }
      spans.append(
        Span(
          name: "load", kind: .phase, serial: 1, began: began,
          duration: UInt64(nodes.reduce(1, +)) * 1_000_000))
    }
    let counts = moments.map {
      Profile.Count(
        launch: 0, node: $0.node, thread: 0, phase: 0, frameClass: .none, state: .running,
        samples: 1, weight: 1e6)
    }
    let profile = Profile(
      functions: ["main", "work", "copy"].map {
        Profile.Function(name: $0, key: $0, module: "m", file: nil)
      },
      nodes: Self.nodes, threads: [Profile.Thread(name: "main", cpu: 0)], phases: [""],
      counts: counts, timeline: [0: moments], audit: ProfileAudit())
    let run = Run(
      id: "r", scenario: "s", variant: "v", label: nil, started: Timestamp(milliseconds: 0),
      seed: 1, parameters: [:], command: [], environment: Environment(facts: [:]),
      definitions: [],
      launches: [
        Launch(index: 0, isWarmup: false, status: .completed, offset: 0, spans: spans)
      ],
      budgets: [], profile: profile, warnings: [], wasInterrupted: false)
    return try #require(
      SlowSpans(of: run, SlowSpans.Choice(name: "load", kind: .phase, share: share)))
  }

  @Test func `the function with the extra time is significant`() throws {
    // Four of 40 spans have three or four samples of copy, and one of work below it, more than the
    // others. Samples of main alternate.
    let samples = (0..<40).map { index -> [Int] in
      let isSlow = index % 10 == 3
      return [index % 2, 2, isSlow ? 3 + index / 10 % 2 : 0, isSlow ? 1 : 0]
    }
    let functions = FunctionComparer().compare(
      try spans(samples, share: 0.1), in: .running)
    func find(_ name: String, _ kind: FunctionComparison.Kind) throws -> FunctionComparison {
      try #require(functions.first { $0.name == name && $0.kind == kind })
    }
    let copy = try find("copy", .own)
    #expect(copy.isSignificant && copy.base == 0 && isClose(copy.candidate, 3.5e6))
    // The slow spans are numbers 3, 13, 23 and 33, all odd.
    #expect(isClose(try find("main", .own).candidate, 1e6))
    // Each slow span has three samples of work, one below copy, which copy's total includes.
    #expect(isClose(try find("work", .own).candidate, 3e6))
    #expect(isClose(try find("copy", .total).candidate, 4.5e6))
    // The recursive call counts once in the total.
    #expect(isClose(try find("work", .total).candidate, 6.5e6))
    #expect(isClose(try find("work", .total).base, 2e6))
    // No span waited.
    #expect(FunctionComparer().compare(try spans(samples, share: 0.1), in: .waiting).isEmpty)
  }
}
