import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

/// Stores and baselines with seeded changes are read, or refused with an error.
struct MutatedStoreTests {
  @Test func `a store with changed bytes is read or refused, and never imported by halves`() throws
  {
    let folder = try TemporaryFolder()
    let source = try RunStore(path: folder("from.sqlite"))
    try source.save(SampleRuns.run(launches: 2, samples: 40, fling: 50, id: "one1"))
    try source.save(
      StoredComparison(
        id: "c1m7zm678x1", subject: "s", started: SampleRuns.firstStart,
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy())))
    let file = folder("export.sqlite")
    _ = try source.export(to: file)
    // The whole file is imported, so each refusal is due to a change.
    _ = try RunStore.inMemory().importContent(of: ImportSource(path: file))
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    let changed = folder("changed.sqlite")
    var (tried, imported) = (0, 0)
    try Mutation.each(of: [whole], count: 80, seed: 7) { bytes in
      tried += 1
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: changed + ending)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: changed))
      if let store = try? RunStore(path: changed, access: .reading) {
        _ = try? store.check()
        _ = try? store.headers().map { try store.run(id: $0.id) }
        _ = try? store.comparisons()
      }
      let target = try RunStore.inMemory()
      do throws(StoreError) {
        _ = try target.importContent(of: ImportSource(path: changed))
        imported += 1
      } catch {
        #expect(try target.headers().isEmpty)
      }
      #expect(try target.check() == [])
    }
    #expect(imported < tried)
  }

  @Test func `a changed baseline file is read or refused`() throws {
    let store = try RunStore.inMemory()
    try store.save(SampleRuns.run(launches: 2, samples: 0, fling: 0, id: "one1"))
    try store.saveBaseline("main", runs: ["one1"], saved: SampleRuns.firstStart)
    let text = try store.baselineFile(of: "main").text()
    try Mutation.each(of: [Array(text.utf8)], count: 400, seed: 8) { bytes in
      guard let file = try? BaselineFile(bytes, path: "main.json") else { return }
      let target = try RunStore.inMemory()
      _ = try? target.importBaseline(file)
      #expect(try target.check() == [])
    }
  }

  @Test func `changed blobs of launches and profiles are decoded or refused`() throws {
    let run = SampleRuns.run(launches: 1, warmup: 0, samples: 60, fling: 200)
    let launch = try #require(run.launches.first)
    let frames = FrameCodec.encode(launch.frames)
    let spans = SpanCodec.encode(launch.spans)
    let series = try #require(launch.series.first)
    let curve = SeriesCodec.encode(times: series.times, values: series.values)
    let moments = TimelineCodec.encode(run.profile?.timeline[launch.index] ?? [])
    Mutation.each(of: [frames, spans, curve, moments], count: 4000, seed: 9) { bytes in
      _ = try? FrameCodec.decode(bytes)
      _ = try? SpanCodec.decode(bytes)
      _ = try? SeriesCodec.decode(bytes)
      _ = try? TimelineCodec.decode(bytes)
    }
  }
}
