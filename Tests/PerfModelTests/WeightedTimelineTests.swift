import PerfModel
import Testing

/// The time that each sample on the time line represents.
struct WeightedTimelineTests {
  private static func moment(
    _ milliseconds: UInt64, node: Int, _ state: Profile.State = .running
  ) -> Profile.Moment {
    Profile.Moment(
      time: milliseconds * 1_000_000, node: node, thread: 0, serial: 1, phase: 0,
      frameClass: .none, state: state, cpu: nil)
  }

  private static func count(
    node: Int, ticks: Int, milliseconds: Double, _ state: Profile.State = .running
  ) -> Profile.Count {
    Profile.Count(
      launch: 0, node: node, thread: 0, phase: 0, frameClass: .none, state: state, samples: ticks,
      weight: milliseconds * 1e6)
  }

  private static func weights(_ counts: [Profile.Count], _ moments: [Profile.Moment]) -> [Double] {
    let profile = Profile(
      functions: [.init(name: "main", key: "main", module: "app", file: nil)],
      nodes: [
        .init(parent: -1, function: 0, line: 1, isInlined: false),
        .init(parent: -1, function: 0, line: 2, isInlined: false),
      ],
      threads: [.init(name: "main", cpu: 0)], phases: [""], counts: counts,
      timeline: [0: moments], audit: ProfileAudit())
    return profile.weightedTimeline().flatMap(\.moments).map { $0.weight / 1e6 }
  }

  @Test func `a sample that stands for several ticks has the time of all of them`() {
    // One sample for the six ticks of a system call, and two samples of one tick.
    #expect(
      Self.weights(
        [
          Self.count(node: 0, ticks: 2, milliseconds: 2),
          Self.count(node: 1, ticks: 6, milliseconds: 6),
        ], [Self.moment(1, node: 0), Self.moment(8, node: 1), Self.moment(9, node: 0)])
        == [1, 6, 1])
  }

  @Test func `a wait lasts until the next sample of its thread, and the last has the rest`() {
    #expect(
      Self.weights(
        [
          Self.count(node: 0, ticks: 2, milliseconds: 12, .waiting),
          Self.count(node: 1, ticks: 1, milliseconds: 1),
        ],
        [
          Self.moment(1, node: 0, .waiting), Self.moment(6, node: 1),
          Self.moment(7, node: 0, .waiting),
        ]) == [5, 1, 7])
  }
}
