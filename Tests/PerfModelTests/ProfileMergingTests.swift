import PerfModel
import PerfTestSupport
import Testing

/// One profile of the launches of two sessions.
struct ProfileMergingTests {
  /// Returns a profile of `main` that calls a function, with one running sample in a launch.
  private func profile(calling name: String, launch: Int, thread: String) -> Profile {
    var audit = ProfileAudit()
    (audit.samples, audit.ticks, audit.seconds, audit.rateReached) = (1, 10, 2, 5)
    audit.longestTaskWaits = [0: 7]
    return Profile(
      functions: [
        .init(name: name, key: name, module: "p", file: nil),
        .init(name: "main", key: "main", module: "p", file: nil),
      ],
      nodes: [
        .init(parent: -1, function: 1, line: 3, isInlined: false),
        .init(parent: 0, function: 0, line: 4, isInlined: false),
      ],
      threads: [.init(name: thread, cpu: 40)], phases: ["", name],
      counts: [
        .init(
          launch: launch, node: 1, thread: 0, phase: 1, frameClass: .none, state: .running,
          samples: 1, weight: 5)
      ],
      timeline: [
        launch: [
          .init(
            time: 9, node: 1, thread: 0, serial: 1, phase: 1, frameClass: .none, state: .running,
            cpu: nil)
        ]
      ], audit: audit)
  }

  @Test func `equal functions, nodes, threads and phases become one`() throws {
    let both = profile(calling: "a", launch: 1, thread: "main")
      .merged(with: profile(calling: "b", launch: 2, thread: "main"))
    #expect(both.functions.map(\.name) == ["a", "main", "b"])
    // `main` has two callees.
    #expect(both.nodes.map(\.parent) == [-1, 0, 0])
    #expect(both.nodes.map(\.function) == [1, 0, 2])
    #expect(both.threads == [.init(name: "main", cpu: 80)])
    #expect(both.phases == ["", "a", "b"])
    #expect(both.counts.map(\.node) == [1, 2])
    #expect(both.counts.map(\.launch) == [1, 2])
    #expect(both.counts.map(\.phase) == [1, 2])
    #expect(both.timeline[2]?.map(\.node) == [2])
    #expect((both.audit.samples, both.audit.ticks, both.audit.seconds) == (2, 20, 4))
    #expect(both.audit.rateReached == 5)
    // By the index of the count.
    #expect(both.audit.longestTaskWaits == [0: 7, 1: 7])
  }

  @Test func `different threads stay apart, and sums end at the largest number`() {
    var hostile = profile(calling: "a", launch: 1, thread: "main").audit
    (hostile.dropped, hostile.tickerCPU) = (.max, .max)
    let first = Profile(
      functions: [], nodes: [], threads: [.init(name: "x", cpu: .max)], phases: [""], counts: [],
      timeline: [:], audit: hostile)
    let both = first.merged(with: first)
    #expect(both.threads == [.init(name: "x", cpu: .max)])
    #expect(both.audit.dropped == .max && both.audit.tickerCPU == .max)
    let other = first.merged(with: profile(calling: "b", launch: 2, thread: "main"))
    #expect(other.threads.map(\.name) == ["x", "main"])
  }

  @Test func `the lost records of allocations are added unless a part does not know them`() {
    func part(lost: Int?, kept: Int?) -> Profile {
      var audit = ProfileAudit()
      (audit.allocationsLost, audit.allocationsKept) = (lost, kept)
      return Profile(
        functions: [], nodes: [], threads: [], phases: [""], counts: [], timeline: [:], audit: audit
      )
    }
    let both = part(lost: 1, kept: 10).merged(with: part(lost: 2, kept: 20)).audit
    #expect((both.allocationsLost, both.allocationsKept) == (3, 30))
    let old = part(lost: 1, kept: 10).merged(with: part(lost: nil, kept: nil)).audit
    #expect(old.allocationsLost == nil && old.allocationsKept == nil)
  }

  @Test func `a profile that covers some launches is divided by their number`() throws {
    let run = SampleRuns.run(launches: 4, warmup: 1, samples: 400, fling: 500)
    #expect(run.sampled.map(\.index) == [1, 2, 3, 4])
    let covered = run.mappingProfile { $0.covering([3, 4]) }
    #expect(covered.sampled.map(\.index) == [3, 4])
  }
}
