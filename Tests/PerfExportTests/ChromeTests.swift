import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

struct ChromeTests {
  private func slices(_ samples: [(time: UInt64, node: Int)]) -> [String] {
    let profile = SmallRun.profile()
    let samples = samples.map {
      TimedSamples.Sample(time: $0.time, node: $0.node, weight: 1, state: .running, cpu: nil)
    }
    return SampleSlices(samples, of: profile, interval: 10).slices.map {
      "\(profile.functions[$0.function].name) \($0.began)-\($0.ended)"
    }
  }

  @Test func `a function that consecutive samples share is one slice`() {
    #expect(
      slices([(100, 1), (110, 2), (120, 0)]) == [
        "main 100-130", "draw 100-120", "blend 110-120",
      ])
  }

  @Test func `a gap of more than two samples ends all slices`() {
    // 30 later are two missed samples, 31 later are more.
    #expect(slices([(100, 0), (130, 0)]) == ["main 100-140"])
    #expect(slices([(100, 0), (131, 0)]) == ["main 100-110", "main 131-141"])
  }

  @Test func `recursion makes one slice per level`() {
    let nodes = [-1, 0, 1].map {
      Profile.Node(parent: $0, function: 0, line: 1, isInlined: false)
    }
    let profile = Profile(
      functions: Array(SmallRun.functions.prefix(1)), nodes: nodes, threads: [], phases: [""],
      counts: [], timeline: [:], audit: ProfileAudit())
    let samples = [2, 1].enumerated().map {
      TimedSamples.Sample(
        time: UInt64($0) * 10, node: $1, weight: 1, state: .running, cpu: nil)
    }
    let ends = SampleSlices(samples, of: profile, interval: 10).slices.map(\.ended)
    #expect(ends == [20, 20, 10])
  }

  @Test func `a launch is a process with its frames, threads, marks and series`() throws {
    let export = try ProfileExport(SmallRun.timed, as: .chrome)
    #expect(
      String(decoding: export.bytes, as: UTF8.self)
        == """
        {"displayTimeUnit":"ms","otherData":{"run":"scroll:naive, run r1",\
        "command":"perfkit run scroll","slices":"drawn from samples, one per 1000 us"},\
        "traceEvents":[
        {"ph":"M","name":"process_name","pid":2,"tid":20000,"ts":0,"args":{"name":"launch 1"}},
        {"ph":"M","name":"thread_name","pid":2,"tid":20000,"ts":0,"args":{"name":"frames"}},
        {"ph":"X","name":"missed frame","pid":2,"tid":20000,"ts":1500,"dur":8000,"cat":"frame",\
        "args":{"type":"frame","index":0,"fate":"missed","cpu":7.5,"overrun":1.25,"hitch":8.333,\
        "missed":1,"color":"red"}},
        {"ph":"M","name":"thread_name","pid":2,"tid":20001,"ts":0,"args":{"name":"ui"}},
        {"ph":"X","name":"main","pid":2,"tid":20001,"ts":1000,"dur":2000},
        {"ph":"X","name":"draw","pid":2,"tid":20001,"ts":1000,"dur":2000},
        {"ph":"X","name":"blend","pid":2,"tid":20001,"ts":1000,"dur":2000},
        {"ph":"X","name":"memcpy","pid":2,"tid":20001,"ts":1000,"dur":2000},
        {"ph":"X","name":"main","pid":2,"tid":20001,"ts":9000,"dur":1000},
        {"ph":"X","name":"draw","pid":2,"tid":20001,"ts":9000,"dur":1000},
        {"ph":"X","name":"blend","pid":2,"tid":20001,"ts":9000,"dur":1000},
        {"ph":"M","name":"thread_name","pid":2,"tid":20002,"ts":0,\
        "args":{"name":"ui: phases and signposts"}},
        {"ph":"X","name":"decode","pid":2,"tid":20002,"ts":1000,"dur":2000,"cat":"phase"},
        {"ph":"i","name":"tap","pid":2,"tid":20002,"ts":4000,"s":"t"},
        {"ph":"M","name":"thread_name","pid":2,"tid":20003,"ts":0,"args":{"name":"loader"}},
        {"ph":"X","name":"main","pid":2,"tid":20003,"ts":500,"dur":9000},
        {"ph":"X","name":"[waiting]","pid":2,"tid":20003,"ts":500,"dur":9000},
        {"ph":"C","name":"rss","pid":2,"tid":20000,"ts":0,"cat":"series",\
        "args":{"B":4096}}
        ]}
        """.replacing("\n", with: ""))
  }

  @Test
  func `a wait lasts until the thread's next sample, and the last wait has the remaining time`()
    throws
  {
    // The waits have 5 ms in total. The first one has 2 of them, because the thread ran 2 ms after
    // it.
    let moments = [(500_000, Profile.State.waiting), (2_500_000, .running), (4_500_000, .waiting)]
    let profile = SmallRun.profile(
      counts: [
        SmallRun.count(
          launch: 1, node: 0, thread: 1, phase: 0, .none, .waiting, samples: 2, weight: 5_000_000),
        SmallRun.count(
          launch: 1, node: 0, thread: 1, phase: 0, .none, samples: 1, weight: 1_000_000),
      ],
      timeline: [
        1: moments.map { time, state in
          Profile.Moment(
            time: UInt64(time), node: 0, thread: 1,
            serial: 2, phase: 0, frameClass: .none, state: state, cpu: nil)
        }
      ])
    let samples = try TimedSamples(
      SmallRun.run(profile), profile, SampleFilter(), for: .chrome
    ).launches[0].threads[0].samples
    #expect(samples.map(\.weight) == [2_000_000, 1_000_000, 3_000_000])
    let waits = SampleSlices(samples, of: profile, interval: 1_000_000).slices
      .filter { $0.function < 0 }
    #expect(waits.map(\.began) == [500_000, 4_500_000])
    #expect(waits.map(\.ended) == [2_500_000, 7_500_000])
  }

  @Test(arguments: SmallRun.impossibleRates)
  func `an impossible rate counts as a thousand samples per second`(rate: Double) throws {
    let export = try ProfileExport(SmallRun.sampled(atRate: rate), as: .chrome)
    let usual = try ProfileExport(SmallRun.timed, as: .chrome)
    #expect(export.bytes == usual.bytes)
  }

  /// Values that no sampler writes but an imported store may contain: decreasing times, an infinite
  /// wait, an overflow of the number of samples, and a phase without an end.
  @Test func `impossible times are sorted and clamped`() throws {
    let moments = [
      (5_000_000, Profile.State.running), (0, .waiting), (2_000_000, .running),
      (9_000_000, .waiting),
    ]
    let running = SmallRun.count(
      launch: .max, node: 0, thread: 0, phase: 0, .none, samples: .max, weight: .infinity)
    let profile = SmallRun.profile(
      counts: [
        running, running,
        SmallRun.count(
          launch: .max, node: 0, thread: 0, phase: 0, .none, .waiting, samples: 2, weight: 1e300),
      ],
      timeline: [
        .max: moments.map { time, state in
          Profile.Moment(
            time: UInt64(time), node: 0, thread: 0,
            serial: 1, phase: 0, frameClass: .none, state: state, cpu: nil)
        }
      ])
    let launch = Launch(
      index: .max, isWarmup: false, status: .completed, offset: 0, series: [], frames: [],
      began: 0,
      spans: [Span(name: "decode", kind: .phase, serial: 1, began: 1_000_000, duration: .max)])
    let run = SmallRun.run(profile, launches: [launch])
    let samples = try TimedSamples(run, profile, SampleFilter(), for: .chrome).launches[0]
      .threads[0].samples
    #expect(samples.map(\.time) == [0, 2_000_000, 5_000_000, 9_000_000])
    let slices = SampleSlices(samples, of: profile, interval: 1_000_000).slices
    #expect(slices.map(\.began) == [0, 0, 9_000_000, 9_000_000])
    #expect(slices.map(\.ended) == [6_000_000, 2_000_000, 9_000_000, 9_000_000])
    let export = try ProfileExport(run, as: .chrome)
    // 2^64 - 1 minus a million, in thousandths.
    #expect(
      String(decoding: export.bytes, as: UTF8.self)
        .contains(#""ts":1000,"dur":18446744073708551.615,"cat":"phase""#))
  }

  @Test func `slices of a large profile are nested and end after they start`() throws {
    let run = SampleRuns.run(launches: 2, samples: 2000, fling: 1000)
    let export = try ProfileExport(run, as: .chrome)
    let file = try #require(
      JSONSerialization.jsonObject(with: Data(export.bytes)) as? [String: Any])
    let events = try #require(file["traceEvents"] as? [[String: Any]])
    var ends: [Int: [Int]] = [:]
    var count = 0
    for event in events where event["ph"] as? String == "X" && event["cat"] == nil {
      func nanoseconds(_ key: String) throws -> Int {
        Int((try #require(event[key] as? Double) * 1000).rounded())
      }
      let track = try #require(event["tid"] as? Int)
      let began = try nanoseconds("ts")
      let ended = began + (try nanoseconds("dur"))
      #expect(ended >= began)
      // Parents come first, so every slice ends before all open ones.
      var open = ends[track] ?? []
      while let last = open.last, last <= began { open.removeLast() }
      #expect(ended <= open.last ?? .max)
      ends[track] = open + [ended]
      count += 1
    }
    #expect(count > 2000)
  }
}
