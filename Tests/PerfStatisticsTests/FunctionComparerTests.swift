import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

struct FunctionComparerTests {
  /// The call tree: main calls layout and load, load calls decode, decode calls itself once.
  static let names = ["main", "layout", "load", "decode"]
  static let nodes = [
    (-1, 0), (0, 1), (0, 2), (2, 3), (3, 3),
  ].map { Profile.Node(parent: $0.0, function: $0.1, line: 0, isInlined: false) }

  /// Returns a run of launches with these self times of functions in nanoseconds.
  func run(
    _ launches: [(layout: Double, load: Double, decode: Double)], moduleOfDecode: String = "m"
  ) -> Run {
    let counts = launches.enumerated().flatMap { index, launch in
      // Decode's self time is split between its two nodes; waiting is not CPU time.
      [
        (1, launch.layout, Profile.State.running), (2, launch.load, .running),
        (3, launch.decode / 2, .running), (4, launch.decode / 2, .running), (2, 1e9, .waiting),
      ].map { node, weight, state in
        Profile.Count(
          launch: index + 1, node: node, thread: 0, phase: 0, frameClass: .none, state: state,
          samples: Int(weight), weight: weight)
      }
    }
    // The warm-up must not count.
    let warmup = Profile.Count(
      launch: 0, node: 1, thread: 0, phase: 0, frameClass: .none, state: .running, samples: 9,
      weight: 1e12)
    let profile = Profile(
      functions: Self.names.map {
        Profile.Function(
          name: $0, key: "key.\($0)", module: $0 == "decode" ? moduleOfDecode : "m", file: nil)
      },
      nodes: Self.nodes, threads: [Profile.Thread(name: "main", cpu: 0)], phases: [""],
      counts: [warmup] + counts, timeline: [:], audit: ProfileAudit())
    return TestRuns.run(["wall": launches.map { _ in 1 }], profile: profile)
  }

  func launches(layout: Double, load: Double, decode: Double) -> [(
    layout: Double, load: Double, decode: Double
  )] {
    (0..<8).map { index in
      let noise = 1 + 0.002 * Double((index * 3) % 8)
      return (layout * noise, load * noise, decode * noise)
    }
  }

  @Test
  func `a changed function is significant in its self time and in its callers`() throws {
    let functions = FunctionComparer().compare(
      run(launches(layout: 1000, load: 100, decode: 9000)),
      run(launches(layout: 1000, load: 100, decode: 500)))
    // The noise averages 1.007. The totals of main are 10,100 and 1,600, of load 9,100 and 600.
    func find(_ name: String, _ kind: FunctionComparison.Kind) throws -> FunctionComparison {
      try #require(functions.first { $0.name == name && $0.kind == kind })
    }
    let decode = try find("decode", .own)
    #expect(isClose(decode.base, 9063) && isClose(decode.candidate, 503.5))
    #expect(isClose(decode.difference, -8559.5))
    #expect(decode.isSignificant && decode.key == "key.decode")
    // A recursive function counts once.
    #expect(isClose(try find("decode", .total).base, 9063))
    #expect(isClose(try find("load", .total).base, 9163.7))
    #expect(isClose(try find("main", .total).base, 10_170.7))
    let layout = try find("layout", .own)
    #expect(!layout.isSignificant && layout.difference == 0)
    // main has no self time.
    #expect(!functions.contains { $0.name == "main" && $0.kind == .own })
    let magnitudes = functions.map(\.difference.magnitude)
    #expect(magnitudes == magnitudes.sorted(by: >))
    #expect(FunctionComparer.explanation(of: functions).map(\.name) == ["decode"])
  }

  @Test
  func `the profiler's own functions explain no change`() {
    let agent = "libperfkit-agent-heap.so"
    let functions = FunctionComparer().compare(
      run(launches(layout: 1000, load: 100, decode: 9000), moduleOfDecode: agent),
      run(launches(layout: 1000, load: 100, decode: 500), moduleOfDecode: agent))
    #expect(!functions.contains { $0.name == "decode" })
    #expect(FunctionComparer.explanation(of: functions).map(\.name) == ["load"])
  }

  @Test(arguments: [1.0, -1])
  func `the largest change with callees explains a change in which no function alone is certain`(
    sign: Double
  ) {
    let functions = [("main", 1e6), ("load", 0.9e6), ("draw", 0.1e6)].map { name, difference in
      FunctionComparison(
        name: name, key: name, kind: .total, base: name == "main" ? 9e6 : 4e6,
        candidate: (name == "main" ? 9e6 : 4e6) + sign * difference, low: nil, high: nil, q: 0.001,
        isSignificant: true)
    }
    #expect(FunctionComparer.explanation(of: functions).map(\.name) == ["load"])
  }

  @Test
  func `functions that appear or vanish are compared with zero`() throws {
    let functions = FunctionComparer().compare(
      run(launches(layout: 1000, load: 0, decode: 0)),
      run(launches(layout: 1000, load: 0, decode: 700)))
    let decode = try #require(functions.first { $0.name == "decode" && $0.kind == .own })
    #expect(decode.base == 0)
    #expect(decode.isSignificant)
  }

  @Test
  func `a session that is uniformly slower has no significant function`() {
    let functions = FunctionComparer().compare(
      run(launches(layout: 1000, load: 100, decode: 9000)),
      run(launches(layout: 1040, load: 104, decode: 9360)))
    #expect(functions.count == 7)
    #expect(functions.allSatisfy { !$0.isSignificant && ($0.q ?? 1) < 0.05 })
    #expect(FunctionComparer.explanation(of: functions).isEmpty)
  }

  @Test
  func `too few launches have no significant function`() {
    let few = { (decode: Double) in
      run(Array(launches(layout: 1000, load: 100, decode: decode).prefix(3)))
    }
    let functions = FunctionComparer().compare(few(9000), few(500))
    #expect(!functions.isEmpty)
    #expect(functions.allSatisfy { !$0.isSignificant && $0.low == nil })
  }

  @Test
  func `a run without a profile has no function comparison`() {
    let plain = TestRuns.run(["wall": [1, 2]])
    #expect(
      FunctionComparer().compare(plain, run(launches(layout: 1, load: 1, decode: 1))).isEmpty)
  }

  @Test
  func `the naive and the optimised variant differ significantly in decoding`() throws {
    let comparison = try RunComparer().compare(
      SampleRuns.run(seed: 1, variant: "naive"), SampleRuns.run(seed: 2, variant: "optimised"))
    #expect(comparison.verdict == .improved)
    let first = try #require(FunctionComparer.explanation(of: comparison.functions).first)
    #expect(first.name.lowercased().contains("decode") && first.kind == .total)
    let warning = try #require(comparison.warnings.first { $0.code == "comparison.few_samples" })
    #expect(warning.remedy == "Measure more launches, or pass a higher --rate.")
  }
}
