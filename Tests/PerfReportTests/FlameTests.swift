import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct FlameTests {
  @Test func `a flame graph without selected samples is empty`() throws {
    func run(_ counts: Profile.Count...) -> Run {
      SampleRuns.replacingProfile(
        of: SampleRuns.run(launches: 1, samples: 0, fling: 0), by: SmallTree.profile(counts))
    }
    func isEmpty(_ run: Run, _ options: FlameOptions = FlameOptions()) throws -> Bool {
      try #require(FlameGraph(run, options: options)).isEmpty
    }
    let (none, ran) = (run(), run(SmallTree.count(1, 3)))
    let waited = run(SmallTree.count(1, 3, state: .waiting))
    #expect(try isEmpty(none))
    #expect(try isEmpty(ran) == false)
    #expect(try isEmpty(ran, FlameOptions(.init(onlyMissedFrames: true))))
    #expect(try isEmpty(ran, FlameOptions(.init(thread: "loader"))))
    #expect(try isEmpty(ran, FlameOptions(.init(signpost: "import"))))
    #expect(try isEmpty(waited))
    #expect(try isEmpty(waited, FlameOptions(state: .waiting)) == false)
    // A function of the base alone is drawn as well.
    #expect(FlameGraph(none, against: ran)?.isEmpty == false)
    #expect(FlameGraph(none, against: none)?.isEmpty == true)
  }

  @Test func `the callees of the narrowest box are within its edges`() throws {
    // 1,007 ms in total: 997 in main, and ten callers of 1 ms each that call two functions.
    var nodes = [Profile.Node(parent: -1, function: 0, line: 1, isInlined: false)]
    var counts = [SmallTree.count(0, 997)]
    for line in 0..<10 {
      let caller = nodes.count
      nodes.append(.init(parent: 0, function: line + 1, line: line, isInlined: false))
      for (function, milliseconds) in [(11, 0.66), (12, 0.34)] {
        counts.append(SmallTree.count(nodes.count, milliseconds))
        nodes.append(.init(parent: caller, function: function, line: 0, isInlined: false))
      }
    }
    let profile = Profile(
      functions: (0...12).map { SmallTree.function("f\($0)") }, nodes: nodes,
      threads: [.init(name: "main", cpu: 0)], phases: [""], counts: counts, timeline: [:],
      audit: ProfileAudit())
    let run = Run(
      id: "r1", scenario: "narrow", variant: "v", label: nil, started: Timestamp(milliseconds: 0),
      seed: 1, parameters: [:], command: [], environment: Environment(facts: [:]), definitions: [],
      launches: [], budgets: [], profile: profile, warnings: [], wasInterrupted: false)
    let svg = try #require(FlameGraph(run)).svg()
    let pattern = #/data-x="([\d.]+)" data-w="([\d.]+)" data-d="(\d+)"/#
    let frames = try svg.matches(of: pattern).map { match in
      let x = try #require(Double(match.1))
      return (x: x, end: x + (try #require(Double(match.2))), depth: Int(match.3))
    }
    #expect(frames.count == 31)
    for frame in frames where frame.depth == 2 {
      let middle = (frame.x + frame.end) / 2
      let caller = try #require(
        frames.first { $0.depth == 1 && ($0.x..<$0.end).contains(middle) })
      // A hundred-thousandth of the drawing's 1,180 pixels.
      let slack = (caller.end - caller.x) * 1e-5
      #expect(frame.x >= caller.x - slack && frame.end <= caller.end + slack)
    }
  }

  @Test func `neighbours that are too narrow are merged`() {
    let functions = (0..<100).map { SmallTree.function("f\($0)") }
    let profile = Profile(
      functions: functions,
      nodes: functions.indices.map { .init(parent: -1, function: $0, line: 0, isInlined: false) },
      threads: [.init(name: "t", cpu: 0)], phases: [""],
      counts: functions.indices.map { SmallTree.count($0, $0 == 0 ? 9900 : 1) }, timeline: [:],
      audit: ProfileAudit())
    let tree = CallTree(FlameData(profile, launches: 1), options: .init())
    let layout = FlameLayout(tree, narrowest: 0.001)
    // 99 functions with 1 of 9,999 each share a box of 0.0099.
    #expect(layout.boxes.count == 2)
    #expect(layout.boxes[1].merged == 99)
    #expect(layout.boxes[1].node == nil)
  }

  @Test(arguments: [
    ("BookWorkloads", ModuleKind.program), ("libswiftCore.so", .swift), ("libc.so.6", .system),
    ("libturbojpeg.so.0", .library), ("[vdso]", .system), ("[unknown]", .unknown),
    ("libFoundation.so", .swift), ("perfkit", .program),
  ])
  func `the name of a module determines its kind`(module: String, kind: ModuleKind) {
    #expect(ModuleKind(module: module) == kind)
  }
}

struct FlameSnapshotTests {
  @Test func `flame graphs match their snapshots`() throws {
    let naive = SampleDocuments.run(variant: "naive").run
    let optimised = SampleDocuments.run().run
    expectSnapshot(try #require(FlameGraph(naive)).svg(), "flame.svg")
    expectSnapshot(
      try #require(
        FlameGraph(naive, options: .init(.init(onlyMissedFrames: true), isReversed: true))
      )
      .svg(), "flame-missed-reversed.svg")
    expectSnapshot(
      try #require(FlameGraph(optimised, against: naive)).svg(), "flame-difference.svg")
  }

  @Test func `a run without a profile has no flame graph`() {
    #expect(FlameGraph(SampleRuns.run(samples: 0)) == nil)
  }
}
