import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

struct PprofTests {
  private func file(_ profile: Profile) throws -> PprofReader {
    try PprofReader(ProfileExport(SmallRun.run(profile), as: .pprof).bytes)
  }

  @Test func `a sample has its stack, its values and its labels`() throws {
    #expect(
      try file(SmallRun.profile()).lines() == [
        "memcpy:0<blend:20+draw:10<main:3 | 3 3000000 0 | "
          + "thread=ui phase=decode signpost=load frame=missed state=running launch=1",
        "memcpy:0<blend:20+draw:10<main:3 | 2 2500000 0 | "
          + "thread=ui phase=decode frame=on time state=running launch=2",
        "blend:20+draw:10<main:3 | 1 1000000 0 | thread=ui state=running launch=2",
        "main:3 | 1 500000 0 | thread=loader state=running launch=2",
        "main:3 | 1 0 9000000 | thread=loader state=waiting launch=2",
      ])
  }

  @Test func `the file has the types, period, duration and start of the run`() throws {
    let file = try file(SmallRun.profile())
    let types = try file.profile.messages(1).map {
      "\(try file.text($0, 1))/\(try file.text($0, 2))"
    }
    #expect(types == ["samples/count", "cpu/nanoseconds", "waiting/nanoseconds"])
    #expect(try file.text(file.profile, 14) == "cpu")
    // 1,000 samples per second.
    #expect(file.profile.number(12) == 1_000_000)
    #expect(file.profile.number(10) == 2_000_000_000)
    #expect(file.profile.number(9) == 1_795_227_498_000_000_000)
    let comments = try file.profile.packed(13).map { file.texts[$0] }
    #expect(comments == ["scroll:naive, run r1", "perfkit run scroll"])
  }

  @Test(arguments: SmallRun.impossibleRates)
  func `an impossible rate gives no period`(rate: Double) throws {
    let export = try ProfileExport(SmallRun.sampled(atRate: rate), as: .pprof)
    #expect(try PprofReader(export.bytes).profile.number(12) == 0)
  }

  @Test func `a weight beyond the format's range is clamped`() throws {
    let counts = [
      SmallRun.count(
        launch: 1, node: 0, thread: 0, phase: 0, .none, samples: 1, weight: 0x1p64)
    ]
    #expect(
      try file(SmallRun.profile(counts: counts)).lines() == [
        "main:3 | 1 \(Int64.max) | thread=ui state=running launch=1"
      ])
  }

  @Test func `without waiting threads there is no waiting value`() throws {
    let counts = SmallRun.counts.filter { $0.state == .running }
    let file = try file(SmallRun.profile(counts: counts))
    #expect(try file.profile.messages(1).count == 2)
    #expect(
      try file.lines().allSatisfy { $0.split(separator: "|")[1].split(separator: " ").count == 2 })
  }

  @Test func `the program is the first mapping and locations refer to their mappings`() throws {
    let file = try file(SmallRun.profile())
    let mappings = try file.profile.messages(3)
    #expect(try mappings.map { try file.text($0, 5) } == ["/opt/App", "libc.so.6"])
    // The library's file is unknown.
    #expect(
      try mappings.map { try file.text($0, 6) } == [
        "e54d3af274383256b9f6144f83f3f75101020304", "",
      ])
    // Functions are known for both, files and lines only for the program.
    #expect(mappings.map { $0.number(7) } == [1, 1])
    #expect(mappings.map { $0.number(8) } == [1, 0])
    #expect(try file.profile.messages(4).map { $0.number(2) }.sorted() == [1, 1, 2])
  }

  @Test func `all IDs of a large profile resolve and all samples are present`() throws {
    let run = SampleRuns.run(launches: 3, samples: 3000)
    let profile = try #require(run.profile)
    let file = try PprofReader(ProfileExport(run, as: .pprof).bytes)
    let lines = try file.lines()
    #expect(lines.count == profile.counts.count)
    let samples = lines.compactMap { Int($0.split(separator: "|")[1].split(separator: " ")[0]) }
    #expect(samples.reduce(0, +) == 3000)
    let mappings = Set(try file.profile.messages(3).map { $0.number(1) } + [0])
    #expect(try file.profile.messages(4).allSatisfy { mappings.contains($0.number(2)) })
  }
}
