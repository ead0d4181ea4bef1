import PerfModel
import Testing

/// A run of one launch with a thread that samples every millisecond, and spans of "load" on it.
struct SlowSpansTests {
  private static let millisecond: UInt64 = 1_000_000

  /// The functions: main calls work, and main calls wait.
  private static let nodes = [(-1, 0), (0, 1), (0, 2)].map {
    Profile.Node(parent: $0.0, function: $0.1, line: 0, isInlined: false)
  }

  private static func moment(
    _ time: UInt64, node: Int, serial: Int = 1, _ state: Profile.State = .running
  ) -> Profile.Moment {
    Profile.Moment(
      time: time * millisecond, node: node, thread: serial - 1, serial: serial, phase: 0,
      frameClass: .none, state: state, cpu: millisecond)
  }

  private static func span(
    _ began: UInt64, _ duration: UInt64, serial: Int = 1, name: String = "load"
  ) -> Span {
    Span(
      name: name, kind: .signpost, serial: serial, began: began * millisecond,
      duration: duration * millisecond)
  }

  /// Returns a run with these spans.
  ///
  /// Its counts are the sums of its time line, with 1 ms a sample.
  private static func run(_ spans: [Span], _ moments: [Profile.Moment]) -> Run {
    let sorted = moments.sorted { $0.time < $1.time }
    let counts = sorted.enumerated().map { index, moment in
      let next = sorted[(index + 1)...].first { $0.serial == moment.serial }?.time
      let weight = moment.state == .waiting ? (next ?? moment.time) - moment.time : millisecond
      return Profile.Count(
        launch: 0, node: moment.node, thread: moment.thread, phase: 0, frameClass: .none,
        state: moment.state, samples: 1, weight: Double(weight))
    }
    let profile = Profile(
      functions: ["main", "work", "wait"].map {
        Profile.Function(name: $0, key: $0, module: "m", file: nil)
      },
      nodes: nodes,
      threads: [Profile.Thread(name: "main", cpu: 0), Profile.Thread(name: "other", cpu: 0)],
      phases: [""], counts: counts, timeline: [0: moments], audit: ProfileAudit())
    return Run(
      id: "r", scenario: "s", variant: "v", label: nil, started: Timestamp(milliseconds: 0),
      seed: 1, parameters: [:], command: [], environment: Environment(facts: [:]),
      definitions: [],
      launches: [
        Launch(index: 0, isWarmup: false, status: .completed, offset: 0, spans: spans)
      ],
      budgets: [], profile: profile, warnings: [], wasInterrupted: false)
  }

  private static func select(_ run: Run, share: Double = 0.25) -> SlowSpans? {
    SlowSpans(of: run, SlowSpans.Choice(name: "load", kind: .signpost, share: share))
  }

  private static func durations(_ group: SlowSpans.Group) -> [UInt64] {
    group.durations.map { $0 / millisecond }
  }

  @Test func `the slowest share and the middle half are selected by duration`() throws {
    // Nine spans of 1 to 9 ms; a quarter of nine, rounded up, is three. The middle half begins after
    // the slow ones and ends before the two fastest.
    let spans = (1...9).map { Self.span(UInt64($0) * 10, UInt64($0)) }
    let others = [Self.span(500, 40, name: "other")]
    let selected = try #require(Self.select(Self.run(others + spans.reversed(), [])))
    #expect(selected.count == 9)
    #expect(Self.durations(selected.slow) == [9, 8, 7])
    #expect(Self.durations(selected.middle) == [6, 5, 4])
    let one = try #require(Self.select(Self.run(spans, []), share: 0.01))
    #expect(Self.durations(one.slow) == [9])
    // Two of nine are before and after the middle half.
    #expect(Self.durations(one.middle) == [7, 6, 5, 4, 3])
  }

  @Test func `fewer than four spans have no middle half`() {
    let spans = (1...3).map { Self.span(UInt64($0) * 10, UInt64($0)) }
    #expect(Self.select(Self.run(spans, [])) == nil)
    #expect(Self.select(Self.run(spans + [Self.span(90, 2)], [])) != nil)
  }

  @Test func `a span has the samples of its thread and the overlapping part of waits`() throws {
    // The slowest span lasts from 100 to 110 ms. Its thread waits from 95 to 103 ms, works at 103 and
    // 104 ms, and waits from 105 to 130 ms. Another thread works at 101 ms.
    let spans = [Self.span(100, 10), Self.span(0, 1), Self.span(10, 2), Self.span(20, 1)]
    let moments = [
      Self.moment(11, node: 1), Self.moment(95, node: 2, .waiting), Self.moment(103, node: 1),
      Self.moment(104, node: 1), Self.moment(105, node: 2, .waiting), Self.moment(130, node: 1),
      Self.moment(101, node: 1, serial: 2),
    ]
    let selected = try #require(Self.select(Self.run(spans, moments)))
    let slow = selected.slow.profile
    func time(_ state: Profile.State, _ profile: Profile) -> Double {
      profile.counts.filter { $0.state == state }.reduce(0) { $0 + $1.weight } / 1e6
    }
    #expect(time(.running, slow) == 2)
    // 100 to 103 ms and 105 to 110 ms.
    #expect(time(.waiting, slow) == 8)
    #expect(slow.counts.allSatisfy { $0.launch == 0 && $0.thread == 0 })
    // The middle spans are those of 2 ms at 10 ms, with one sample, and of 1 ms.
    let middle = selected.middle.profile
    #expect(Self.durations(selected.middle) == [2, 1])
    #expect(time(.running, middle) == 1 && time(.waiting, middle) == 0)
  }

  @Test func `a span without a thread has the samples of all threads`() throws {
    let spans = [
      Self.span(100, 10, serial: 0), Self.span(0, 1), Self.span(10, 2), Self.span(20, 1),
    ]
    let moments = [Self.moment(101, node: 1), Self.moment(102, node: 1, serial: 2)]
    let slow = try #require(Self.select(Self.run(spans, moments))?.slow.profile)
    #expect(slow.counts.map(\.thread) == [0, 1])
  }

  @Test func `the end of a hostile span does not overflow`() throws {
    let spans =
      [
        Span(name: "load", kind: .signpost, serial: 1, began: .max - 1, duration: .max)
      ] + (1...3).map { Self.span(UInt64($0), 1) }
    let slow = try #require(Self.select(Self.run(spans, [Self.moment(1, node: 1)])))
    #expect(slow.slow.profile.counts.isEmpty)
  }
}
