import PerfModel

/// A run of two launches with a profile small enough to write by hand.
///
///     main -> draw -> blend (inlined into draw) -> memcpy
enum SmallRun {
  static let functions = [
    Profile.Function(name: "main", key: "main", module: "App", file: "main.swift"),
    Profile.Function(name: "draw", key: "draw", module: "App", file: "Draw.swift"),
    Profile.Function(name: "blend", key: "blend", module: "App", file: "Draw.swift"),
    Profile.Function(name: "memcpy", key: "memcpy", module: "libc.so.6", file: nil),
  ]

  static let nodes = [
    Profile.Node(parent: -1, function: 0, line: 3, isInlined: false),
    Profile.Node(parent: 0, function: 1, line: 10, isInlined: false),
    Profile.Node(parent: 1, function: 2, line: 20, isInlined: true),
    Profile.Node(parent: 2, function: 3, line: 0, isInlined: false),
  ]

  static let counts = [
    count(
      launch: 1, node: 3, thread: 0, phase: 1, signpost: 1, .missed, samples: 3, weight: 3_000_000),
    count(launch: 2, node: 3, thread: 0, phase: 1, .onTime, samples: 2, weight: 2_500_000),
    count(launch: 2, node: 2, thread: 0, phase: 0, .none, samples: 1, weight: 1_000_000),
    count(launch: 2, node: 0, thread: 1, phase: 0, .none, samples: 1, weight: 500_000),
    count(
      launch: 2, node: 0, thread: 1, phase: 0, .none, .waiting, samples: 1, weight: 9_000_000),
  ]

  static func count(
    launch: Int, node: Int, thread: Int, phase: Int, signpost: Int = 0,
    _ frameClass: Profile.FrameClass, _ state: Profile.State = .running, samples: Int,
    weight: Double
  ) -> Profile.Count {
    Profile.Count(
      launch: launch, node: node, thread: thread, phase: phase, signpost: signpost,
      frameClass: frameClass, state: state, samples: samples, weight: weight)
  }

  static func profile(
    counts: [Profile.Count] = counts, timeline: [Int: [Profile.Moment]] = [:]
  ) -> Profile {
    var audit = ProfileAudit()
    audit.rateAsked = 1000
    audit.seconds = 2
    return Profile(
      functions: functions, nodes: nodes,
      threads: [
        Profile.Thread(name: "ui", cpu: 6_500_000), Profile.Thread(name: "loader", cpu: 500_000),
      ],
      phases: ["", "decode"], signposts: ["", "load"], counts: counts, timeline: timeline,
      audit: audit,
      modules: [
        Profile.Module(
          name: "App", path: "/opt/App", buildID: "e54d3af274383256b9f6144f83f3f75101020304")
      ])
  }

  static func run(_ profile: Profile?, launches: [Launch] = []) -> Run {
    Run(
      id: "r1", scenario: "scroll", variant: "naive", label: nil,
      started: Timestamp(milliseconds: 1_795_227_498_000), seed: 1, parameters: [:],
      command: ["run", "scroll"], environment: Environment(facts: [:]), definitions: [],
      launches: launches, budgets: [], profile: profile, warnings: [], wasInterrupted: false)
  }

  /// A run of one launch with a time line: a missed frame, a phase, an event and a waiting thread.
  static let timed: Run = {
    let counts = [
      count(launch: 1, node: 3, thread: 0, phase: 1, .missed, samples: 2, weight: 3_000_000),
      count(
        launch: 1, node: 2, thread: 0, phase: 0, signpost: 1, .none, samples: 1, weight: 1_000_000),
      count(
        launch: 1, node: 0, thread: 1, phase: 0, .none, .waiting, samples: 1, weight: 9_000_000),
    ]
    let moments = [
      moment(500_000, node: 0, serial: 2, phase: 0, .none, .waiting, cpu: nil),
      moment(1_000_000, node: 3, serial: 1, phase: 1, .missed, cpu: nil),
      moment(2_000_000, node: 3, serial: 1, phase: 1, .missed, cpu: 900_000),
      moment(9_000_000, node: 2, serial: 1, phase: 0, signpost: 1, .none, cpu: 500_000),
    ]
    let frame = FrameRecord(
      index: 0, interval: 0, slot: 81_001_000_000, began: 81_001_500_000, cost: 8_000_000,
      cpu: 7_500_000, overrun: 1_250_000, hitch: 8_333_000, missed: 1)
    let launch = Launch(
      index: 1, isWarmup: false, status: .completed, offset: 0,
      series: [TimeSeries(name: "rss", dimension: .size, times: [0], values: [4096])],
      frames: [frame], began: 81_000_000_000,
      spans: [
        Span(name: "decode", kind: .phase, serial: 1, began: 1_000_000, duration: 2_000_000),
        Span(name: "tap", kind: .event, serial: 1, began: 4_000_000, duration: 0),
      ])
    return run(profile(counts: counts, timeline: [1: moments]), launches: [launch])
  }()

  /// Rates that no sampler has but an imported store may contain.
  ///
  /// The intervals of the last two overflow.
  static let impossibleRates: [Double] = [
    0, -1, .nan, .infinity, -.infinity, 1e300, 1e-12, .leastNonzeroMagnitude,
  ]

  /// Returns the run with a time line as if it had been sampled at another rate.
  static func sampled(atRate rate: Double) -> Run {
    let profile = timed.profile.map { known in
      var audit = known.audit
      audit.rateAsked = rate
      return Profile(
        functions: known.functions, nodes: known.nodes, threads: known.threads,
        phases: known.phases, signposts: known.signposts, counts: known.counts,
        timeline: known.timeline, audit: audit, modules: known.modules)
    }
    return run(profile, launches: timed.launches)
  }

  private static func moment(
    _ time: UInt64, node: Int, serial: Int, phase: Int, signpost: Int = 0,
    _ frameClass: Profile.FrameClass, _ state: Profile.State = .running, cpu: UInt64?
  ) -> Profile.Moment {
    Profile.Moment(
      time: time, node: node, thread: serial - 1, serial: serial, phase: phase, signpost: signpost,
      frameClass: frameClass, state: state, cpu: cpu)
  }
}
