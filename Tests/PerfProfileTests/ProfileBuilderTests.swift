import PerfExport
import PerfModel
import Testing

@testable import PerfProfile

@Suite struct ProfileBuilderTests {
  private func capture(_ words: [String]) throws -> Capture {
    let segment = try CaptureSegment(.small())
    return try TestProgram.stacks().run(words, in: segment).capture
  }

  @Test func `launches of one program at different addresses share their nodes`() throws {
    let builder = ProfileBuilder()
    for launch in 0..<3 {
      try builder.add(capture(["descend", "4"]), launch: launch, measured: 0 ... .max)
    }
    let profile = builder.finish()
    #expect(profile.audit.samples == 3)
    #expect(profile.timeline.keys.sorted() == [0, 1, 2])
    let nodes = Set(profile.counts.map(\.node))
    #expect(nodes.count == 1)
    #expect(profile.counts.map(\.launch) == [0, 1, 2])
    #expect(profile.functions.count { $0.name == "descend" } == 1)
  }

  @Test func `samples outside of the measured phase are omitted`() throws {
    let capture = try capture(["repeat", "10"])
    let whole = try ProfileBuilder.profile(of: capture)
    let times = try #require(whole.timeline[0]).map(\.time)
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: times[3]...times[6])
    let profile = builder.finish()
    #expect(profile.audit.samples == 4)
    // Times count from the start of the measured phase.
    #expect(profile.timeline[0]?.map(\.time) == times[3...6].map { $0 - times[3] })
  }

  @Test func `invalid CPU clocks add up to the largest time`() throws {
    var capture = Capture()
    capture.interval = 1_000_000
    capture.threads = (1...2).map {
      Capture.Thread(
        serial: $0, id: Int32($0), name: "worker", started: 0, startCPU: 0, ended: 1,
        endCPU: UInt64.max)
    }
    let builder = ProfileBuilder()
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    #expect(builder.finish().threads.map(\.cpu) == [UInt64.max])
  }

  @Test func `folded stacks have one line per stack with its number of samples`() throws {
    // `descend(i % 7)` seven times: each depth from 1 to 7 once.
    let profile = try ProfileBuilder.profile(of: capture(["repeat", "7"]))
    let folded = FoldedStacks(profile)
    #expect(folded.lines.count == 7)
    #expect(folded.lines.allSatisfy { $0.hasPrefix("_start;") && $0.hasSuffix(";leaf 1") })
    let depths = folded.lines.map { $0.split(separator: ";").count { $0 == "descend" } }
    #expect(depths.sorted() == [1, 2, 3, 4, 5, 6, 7])
    #expect(FoldedStacks(profile) { $0.frameClass == .missed }.lines.isEmpty)
    #expect(FoldedStacks(profile) { _ in false }.text.isEmpty)
  }
}
