import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

struct SpeedscopeTests {
  @Test func `a thread is a view of stacks and CPU time`() throws {
    let counts = SmallRun.counts.filter { $0.thread == 0 }
    let export = try ProfileExport(SmallRun.run(SmallRun.profile(counts: counts)), as: .speedscope)
    #expect(
      String(decoding: export.bytes, as: UTF8.self) == """
        {"$schema":"https://www.speedscope.app/file-format-schema.json",\
        "name":"scroll:naive, run r1","exporter":"perfkit","activeProfileIndex":0,\
        "shared":{"frames":[{"name":"main","file":"main.swift"},\
        {"name":"draw","file":"Draw.swift"},{"name":"blend","file":"Draw.swift"},\
        {"name":"memcpy"}]},\
        "profiles":[{"type":"sampled","name":"ui","unit":"nanoseconds","startValue":0,\
        "endValue":6500000,"samples":[[0,1,2],[0,1,2,3]],"weights":[1000000,5500000]}]}
        """)
  }

  @Test func `the audit's warnings are in every file that can contain them`() throws {
    let known = try #require(SmallRun.timed.profile)
    var audit = known.audit
    audit.warnings = [RunWarning(code: "sampler.late", message: "1 is late")]
    let profile = Profile(
      functions: known.functions, nodes: known.nodes, threads: known.threads, phases: known.phases,
      signposts: known.signposts, counts: known.counts, timeline: known.timeline, audit: audit,
      modules: known.modules)
    let run = SmallRun.run(profile, launches: SmallRun.timed.launches)
    let speedscope = try ProfileExport(run, as: .speedscope)
    #expect(
      String(decoding: speedscope.bytes, as: UTF8.self)
        .contains(#""name":"scroll:naive, run r1; warning: 1 is late""#))
    let firefox = try ProfileExport(run, as: .firefox)
    #expect(String(decoding: firefox.bytes, as: UTF8.self).contains("1 is late"))
    let pprof = try PprofReader(try ProfileExport(run, as: .pprof).bytes)
    #expect(try pprof.profile.packed(13).map { pprof.texts[$0] }.contains("1 is late"))
    let chrome = try ProfileExport(run, as: .chrome)
    #expect(
      String(decoding: chrome.bytes, as: UTF8.self).contains(#""warning 1":"1 is late""#))
  }

  /// The fields that speedscope's file-format-spec.ts requires.
  struct File: Decodable {
    struct Shared: Decodable {
      struct Frame: Decodable {
        let name: String
        let file: String?
      }
      let frames: [Frame]
    }
    struct View: Decodable {
      let type: String
      let name: String
      let unit: String
      let startValue: Double
      let endValue: Double
      let samples: [[Int]]
      let weights: [Double]
    }
    enum CodingKeys: String, CodingKey {
      case schema = "$schema"
      case shared, profiles, name, activeProfileIndex, exporter
    }

    let schema: String
    let shared: Shared
    let profiles: [View]
    let name: String
    let activeProfileIndex: Int
    let exporter: String
  }

  @Test func `a file conforms to the format's definition`() throws {
    let run = SampleRuns.run(launches: 3, samples: 3000)
    let export = try ProfileExport(run, as: .speedscope)
    let file = try JSONDecoder().decode(File.self, from: Data(export.bytes))
    #expect(file.profiles.indices.contains(file.activeProfileIndex))
    for view in file.profiles {
      #expect(view.type == "sampled")
      #expect(view.unit == "nanoseconds")
      #expect(view.samples.count == view.weights.count)
      #expect(view.samples.allSatisfy { !$0.isEmpty })
      #expect(view.samples.joined().allSatisfy(file.shared.frames.indices.contains))
      #expect(abs(view.endValue - view.weights.reduce(0, +)) < 1)
    }
    // The first view adds up the others, the busiest thread first.
    #expect(file.profiles.map(\.name).first == "all threads")
    let ends = file.profiles.map(\.endValue)
    #expect(abs(ends[0] - ends.dropFirst().reduce(0, +)) < 1)
    #expect(ends.dropFirst().sorted(by: >) == Array(ends.dropFirst()))
  }
}
