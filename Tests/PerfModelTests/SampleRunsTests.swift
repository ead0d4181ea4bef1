import PerfModel
import PerfTestSupport
import Testing

/// Tests of the sample runs, on which tests and snapshots of other targets rely.
struct SampleRunsTests {
  private static func median(_ metric: String, _ variant: String) -> Double {
    let values = SampleRuns.run(variant: variant, samples: 0).values(of: metric).sorted()
    return values[values.count / 2]
  }

  @Test func `equal seeds give equal sample runs`() {
    let first = SampleRuns.run(seed: 3)
    let second = SampleRuns.run(seed: 3)
    #expect(first.launches.map(\.metrics) == second.launches.map(\.metrics))
    #expect(first.launches.map(\.frames) == second.launches.map(\.frames))
    #expect(first.profile?.counts == second.profile?.counts)
    #expect(first.profile?.timeline == second.profile?.timeline)
    #expect(
      SampleRuns.run(seed: 4).launches.map(\.metrics) != first.launches.map(\.metrics))
  }

  @Test func `the naive sample run breaks its budgets and the optimised one holds them`() {
    #expect(Self.median("frame.hitch_time_ratio", "naive") > 100)
    #expect(Self.median("frame.hitch_time_ratio", "optimised") < 5)
    #expect(Self.median("rss.peak", "naive") > 150e6)
    #expect(Self.median("rss.peak", "optimised") < 150e6)
    #expect(Self.median("cache.hit_ratio", "optimised") > 0.8)
  }

  @Test func `full function names replace short ones where they are known`() throws {
    let run = SampleRuns.run(samples: 100)
    let short = try #require(run.profile?.functions)
    let whole = try #require(run.withSignatures.profile?.functions)
    #expect(whole.map(\.name) == short.map { $0.signature ?? $0.name })
    #expect(whole.map(\.key) == short.map(\.key))
    #expect(short.contains { $0.signature != nil })
  }

  @Test(arguments: ["naive", "optimised"])
  func `the profile of a sample run is consistent`(variant: String) throws {
    let run = SampleRuns.run(variant: variant, samples: 3001)
    let profile = try #require(run.profile)
    #expect(profile.counts.reduce(0) { $0 + $1.samples } == 3001)
    #expect(profile.timeline.values.reduce(0) { $0 + $1.count } == 3001)
    for (index, node) in profile.nodes.enumerated() {
      #expect(node.parent < index)
      #expect(profile.functions.indices.contains(node.function))
    }
    for count in profile.counts {
      #expect(profile.nodes.indices.contains(count.node))
      #expect(profile.threads.indices.contains(count.thread))
      #expect(profile.phases.indices.contains(count.phase))
    }
    #expect(profile.counts.contains { $0.frameClass == .onTime })
    #expect(profile.counts.contains { $0.frameClass == .missed } || variant != "naive")
  }

  @Test func `a crashed sample launch has its status and no metrics`() {
    let run = SampleRuns.run(launches: 3, statuses: [2: .crashed(signal: 11)])
    #expect(run.launches[2].status == .crashed(signal: 11))
    #expect(run.launches[2].metrics.isEmpty)
    #expect(run.measured.map(\.index) == [1, 3])
  }
}
