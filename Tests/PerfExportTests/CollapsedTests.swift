import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

struct CollapsedTests {
  @Test func `a line is a thread, a stack and the samples of running threads`() throws {
    let export = try ProfileExport(SmallRun.run(SmallRun.profile()), as: .collapsed)
    #expect(
      String(decoding: export.bytes, as: UTF8.self) == """
        loader;main 1
        ui;main;draw;blend 1
        ui;main;draw;blend;memcpy 5

        """)
  }

  @Test(arguments: ProfileFormat.allCases)
  func `an export contains only time, also for a run with allocations`(format: ProfileFormat) throws
  {
    let run = SampleRuns.run(launches: 2, samples: 300, fling: 500)
    #expect(
      try ProfileExport(SampleRuns.addingMemory(to: run), as: format).bytes
        == ProfileExport(run, as: format).bytes)
  }

  @Test(arguments: [
    (SampleFilter(launch: 1), "ui;main;draw;blend;memcpy 3\n"),
    (SampleFilter(thread: "loader"), "loader;main 1\n"),
    (SampleFilter(phase: "decode"), "ui;main;draw;blend;memcpy 5\n"),
    (SampleFilter(signpost: "load"), "ui;main;draw;blend;memcpy 3\n"),
    (SampleFilter(onlyMissedFrames: true), "ui;main;draw;blend;memcpy 3\n"),
  ])
  func `a selection exports only its samples`(selection: SampleFilter, expected: String) throws {
    let run = SmallRun.run(SmallRun.profile())
    let export = try ProfileExport(run, as: .collapsed, selection: selection)
    #expect(String(decoding: export.bytes, as: UTF8.self) == expected)
  }

  @Test func `equal stacks are one line, and separators in names are replaced`() {
    let functions = ["main", "[u8; 4]", "leaf"].map {
      Profile.Function(name: $0, key: $0, module: "m", file: nil)
    }
    // One function on two lines makes two nodes of one stack.
    let nodes = [(-1, 0, 1), (0, 1, 7), (0, 1, 8)].map {
      Profile.Node(parent: $0.0, function: $0.1, line: $0.2, isInlined: false)
    }
    let counts = [(1, 2, 2e6), (2, 3, 1e6), (0, 1, 0.4)].map { node, samples, weight in
      SmallRun.count(
        launch: 0, node: node, thread: 0, phase: 0, .none, samples: samples, weight: weight)
    }
    let profile = Profile(
      functions: functions, nodes: nodes, threads: [Profile.Thread(name: "ui", cpu: 1)],
      phases: [""], counts: counts, timeline: [:], audit: ProfileAudit())
    #expect(FoldedStacks(profile).lines == ["main 1", "main;[u8: 4] 5"])
    #expect(FoldedStacks(profile, hasThreads: true).text == "ui;main 1\nui;main;[u8: 4] 5\n")
  }

  @Test func `a function that awaits its callee has a suffix`() throws {
    let functions = SmallRun.functions
    let nodes = [(-1, 0, true), (0, 1, true), (1, 0, false)].map {
      Profile.Node(parent: $0.0, function: $0.1, line: 1, isInlined: false, isAsync: $0.2)
    }
    let profile = Profile(
      functions: functions, nodes: nodes, threads: [Profile.Thread(name: "ui", cpu: 1)],
      phases: [""],
      counts: [
        SmallRun.count(launch: 0, node: 2, thread: 0, phase: 0, .none, samples: 4, weight: 4)
      ],
      timeline: [:], audit: ProfileAudit())
    let export = try ProfileExport(SmallRun.run(profile), as: .collapsed)
    #expect(
      String(decoding: export.bytes, as: UTF8.self)
        == "ui;main (awaiting);draw (awaiting);main 4\n")
  }

  @Test func `a run without a profile or without selected samples throws`() {
    #expect(throws: ExportError.noProfile(run: "r1")) {
      try ProfileExport(SmallRun.run(nil), as: .pprof)
    }
    let waiting = SmallRun.counts.filter { $0.state == .waiting }
    #expect(throws: ExportError.nothingSelected(run: "r1")) {
      try ProfileExport(SmallRun.run(SmallRun.profile(counts: waiting)), as: .collapsed)
    }
    #expect(throws: ExportError.nothingSelected(run: "r1")) {
      try ProfileExport(
        SmallRun.run(SmallRun.profile()), as: .speedscope, selection: SampleFilter(launch: 9))
    }
  }
}
