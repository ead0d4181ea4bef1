import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

struct FirefoxTests {
  private func file(_ run: Run, _ selection: SampleFilter = SampleFilter()) throws
    -> [String: Any]
  {
    let export = try ProfileExport(run, as: .firefox, selection: selection)
    let value = try JSONSerialization.jsonObject(with: Data(export.bytes))
    return try #require(value as? [String: Any])
  }

  private func table(_ parent: [String: Any], _ name: String) throws -> [String: Any] {
    try #require(parent[name] as? [String: Any], "\(name)")
  }

  /// Returns a column that may contain null.
  private func numbers(_ column: Any?) -> [Double?]? {
    (column as? [Any])?.map { $0 as? Double }
  }

  @Test func `a thread's samples have their times, weights and CPU time`() throws {
    let file = try file(SmallRun.timed)
    let threads = try #require(file["threads"] as? [[String: Any]])
    #expect(threads.map { $0["name"] as? String } == ["frames", "ui", "loader"])
    #expect(threads.map { $0["pid"] as? String } == ["1", "1", "1"])
    #expect(threads.map { $0["tid"] as? String } == ["1.0", "1.1", "1.2"])
    #expect(threads.map { $0["isMainThread"] as? Bool } == [false, true, false])
    let ui = try table(threads[1], "samples")
    #expect(ui["time"] as? [Double] == [1, 2, 9])
    // Two samples with equal attributes represent 3 ms, the third 1 ms.
    #expect(ui["weight"] as? [Double] == [1.5, 1.5, 1])
    #expect(ui["weightType"] as? String == "tracing-ms")
    #expect(numbers(ui["threadCPUDelta"]) == [nil, 900_000, 500_000])
    #expect(ui["stack"] as? [Int] == [3, 3, 2])
    // The waiting thread has a fifth stack: main and the frame [waiting].
    let loader = try table(threads[2], "samples")
    #expect(loader["stack"] as? [Int] == [4])
    let stacks = try table(table(file, "shared"), "stackTable")
    #expect(stacks["prefixOffset"] as? [Int] == [0, 1, 1, 1, 4])
  }

  @Test(arguments: SmallRun.impossibleRates)
  func `an impossible rate gives an interval of a millisecond`(rate: Double) throws {
    let meta = try table(file(SmallRun.sampled(atRate: rate)), "meta")
    #expect(meta["interval"] as? Double == 1)
  }

  @Test func `frames, phases and events are markers`() throws {
    let threads = try #require(file(SmallRun.timed)["threads"] as? [[String: Any]])
    let frames = try table(threads[0], "markers")
    // The frame starts 1.5 ms after the measured phase and takes 8 ms.
    #expect(frames["startTime"] as? [Double] == [1.5])
    #expect(frames["endTime"] as? [Double] == [9.5])
    let frame = try #require(frames["data"] as? [[String: Any]])[0]
    #expect(frame["type"] as? String == "frame")
    #expect(frame["fate"] as? String == "missed")
    #expect(frame["overrun"] as? Double == 1.25)
    let marks = try table(threads[1], "markers")
    #expect(marks["startTime"] as? [Double] == [1, 4])
    #expect(numbers(marks["endTime"]) == [3, nil])
    #expect(marks["phase"] as? [Int] == [1, 0])
  }

  @Test func `inlined functions have a depth and libraries have build IDs`() throws {
    let file = try file(SmallRun.timed)
    let frames = try table(table(file, "shared"), "frameTable")
    #expect(frames["inlineDepth"] as? [Int] == [0, 0, 1, 0, 0])
    #expect(frames["lib"] as? [Int] == [0, 0, 0, 1, -1])
    #expect(numbers(frames["line"]) == [3, 10, 20, nil, nil])
    let libraries = try #require(file["libs"] as? [[String: Any]])
    #expect(libraries.map { $0["path"] as? String } == ["/opt/App", "libc.so.6"])
    #expect(libraries[0]["codeId"] as? String == "e54d3af274383256b9f6144f83f3f75101020304")
    #expect(libraries[1]["codeId"] is NSNull)
    // e54d3af2-7438-3256 with the bytes of each number reversed, then eight bytes unchanged.
    #expect(libraries[0]["breakpadId"] as? String == "F23A4DE538745632B9F6144F83F3F7510")
  }

  @Test func `tables of a large profile have their declared length and valid indices`()
    throws
  {
    let run = SampleRuns.run(variant: "optimised", launches: 2, samples: 2000, fling: 1000)
    let file = try file(run)
    let meta = try table(file, "meta")
    #expect(meta["preprocessedProfileVersion"] as? Int == 70)
    let categories = try #require(meta["categories"] as? [[String: Any]])
    #expect(categories[0]["color"] as? String == "grey")
    let libraries = try #require(file["libs"] as? [Any]).count
    let shared = try table(file, "shared")
    let strings = try #require(shared["stringArray"] as? [String]).count
    func check(_ table: [String: Any], _ limits: [String: Int]) throws -> Int {
      let length = try #require(table["length"] as? Int)
      for case (let name, let column as [Any]) in table {
        #expect(column.count == length, "\(name)")
        guard let limit = limits[name] else { continue }
        #expect(
          column.allSatisfy { ($0 as? Int).map { $0 < limit && $0 >= -1 } ?? true }, "\(name)")
      }
      return length
    }
    let sources = try check(table(shared, "sources"), ["filename": strings])
    let resources = try check(table(shared, "resourceTable"), ["name": strings])
    let functions = try check(
      table(shared, "funcTable"), ["name": strings, "resource": resources, "source": sources])
    let frames = try check(
      table(shared, "frameTable"),
      ["func": functions, "lib": libraries, "category": categories.count])
    let stacks = try check(table(shared, "stackTable"), ["frame": frames])
    let offsets = try #require(table(shared, "stackTable")["prefixOffset"] as? [Int])
    #expect(offsets.enumerated().allSatisfy { (0...$0.offset).contains($0.element) })
    _ = try check(table(shared, "nativeSymbols"), [:])
    _ = try check(table(shared, "sourceLocationTable"), [:])
    var samples = 0
    var markers = 0
    for thread in try #require(file["threads"] as? [[String: Any]]) {
      samples += try check(table(thread, "samples"), ["stack": stacks])
      let times = try #require(table(thread, "samples")["time"] as? [Double])
      #expect(times == times.sorted())
      markers += try check(
        table(thread, "markers"), ["name": strings, "category": categories.count])
    }
    #expect(samples == 2000)
    let launches = run.launches.filter { !$0.isWarmup }
    #expect(markers == launches.reduce(0) { $0 + $1.frames.count + $1.spans.count })
  }

  @Test func `a selection exports only its samples`() throws {
    func samples(_ selection: SampleFilter) throws -> Int {
      let threads = try #require(file(SmallRun.timed, selection)["threads"] as? [[String: Any]])
      return try threads.reduce(0) { $0 + (try #require(table($1, "samples")["length"] as? Int)) }
    }
    #expect(try samples(SampleFilter(thread: "ui")) == 3)
    #expect(try samples(SampleFilter(phase: "decode")) == 2)
    #expect(try samples(SampleFilter(signpost: "load")) == 1)
    #expect(try samples(SampleFilter(onlyMissedFrames: true)) == 2)
  }

  @Test func `a run without a time line cannot be exported by time`() {
    #expect(throws: ExportError.noTimeline(run: "r1", format: .chrome)) {
      try ProfileExport(SmallRun.run(SmallRun.profile()), as: .chrome)
    }
  }
}
