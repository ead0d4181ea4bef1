import CoverCache
import Foundation
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct BackgroundMixTests {
  @Test(
    arguments: [
      ["workers": .int(0), "nice": .int(0), "feed": .string("pixels"), "batched": .bool(false)],
      ["workers": .int(2), "feed": .string("planes")], ["feed": .string("none")],
    ] as [[String: ParameterValue]])
  func `every variant prepares every photo`(variant: [String: ParameterValue]) async throws {
    let small: [String: ParameterValue] = [
      "books": .int(20), "sizes": .string("small"), "seconds": .double(0.2), "photos": .int(5),
      "width": .int(60), "frame_width": .int(60), "results": .int(2_500),
    ]
    let parameters = try ParameterValues(
      variant.merging(small) { $1 }, of: BackgroundMix.parameters)
    let counters = try await onOwnThread {
      try WorkloadRun(BackgroundMix.self, parameters, in: try TemporaryFolder()).counters
    }
    #expect(Set(counters.keys) == Set(BackgroundMix.counters.map(\.name)))
    #expect(counters["upload.failed"] == 0)
    #expect(counters["feed.failed"] == 0)
    #expect((counters["upload.bytes"] ?? 0) > 0)
    #expect((counters["upload.longest"] ?? 0) >= (counters["upload.time"] ?? .infinity))
    #expect((counters["hop.item_time"] ?? 0) > 0)
    #expect((counters["feed.frames"] == 0) == (variant["feed"] == .string("none")))
  }

  @Test func `the prepared photos do not depend on the number of threads`() throws {
    let picture = try CoverImpression.grey.paint(.init(width: 30, height: 45), seed: 7) { pixels in
      try JPEGEncoder().encode(rgba: pixels, size: PixelSize(width: 30, height: 45))
    }
    var sizes: Set<Double> = []
    for workers in [0, 1, 3, 50] {
      let queue = UploadQueue(photos: [picture], count: 7, workers: workers, nice: 0)
      queue.start()
      queue.wait()
      let context = MeasurementContext()
      queue.report(to: context)
      sizes.insert(context.counters["upload.bytes"] ?? 0)
    }
    #expect(sizes.count == 1)
    #expect(sizes.first ?? 0 > 0)
  }

  @Test func `a photo that cannot be decoded is counted as failed`() throws {
    let queue = UploadQueue(photos: [[1, 2, 3]], count: 2, workers: 1, nice: 0)
    queue.start()
    queue.wait()
    let context = MeasurementContext()
    queue.report(to: context)
    #expect(context.counters["upload.failed"] == 2)
    #expect(context.counters["upload.bytes"] == 0)
  }
}

struct CameraFeedTests {
  @Test(arguments: [CameraFeed.Reading.pixels, .planes])
  func `a camera frame that cannot be decoded is counted as failed`(reading: CameraFeed.Reading) {
    let feed = CameraFeed(frames: [[1, 2, 3]], rate: 1_000, reading: reading, nice: 0)
    feed.start()
    feed.stop()
    let context = MeasurementContext()
    feed.report(to: context)
    #expect((context.counters["feed.frames"] ?? 0) >= 1)
    #expect(context.counters["feed.failed"] == context.counters["feed.frames"])
  }
}

struct SoakWorkloadTests {
  @Test(arguments: ["dictionary", "lru"])
  func `an endless list never repeats a cover`(cache: String) throws {
    var counters: [String: Double] = [:]
    // On a busy machine half a second may pass before the first cover is loaded.
    for seconds in [0.5, 4, 32] where (counters["loads.finished"] ?? 0) == 0 {
      let parameters = try ParameterValues(
        [
          "books": .int(20), "sizes": .string("small"), "seconds": .double(seconds),
          "distance": .double(400), "cache": .string(cache),
        ], of: Soak.parameters)
      counters = try WorkloadRun(Soak.self, parameters, in: try TemporaryFolder()).counters
    }
    #expect(Set(counters.keys) == Set(Soak.counters.map(\.name)))
    #expect((counters["soak.flings"] ?? 0) > 0)
    #expect(counters["loads.failed"] == 0)
    #expect((counters["loads.finished"] ?? 0) > 0)
    // Every loaded cover is in memory because all names differ; more may be loading.
    if cache == "dictionary" {
      #expect((counters["cache.objects"] ?? 0) >= (counters["loads.finished"] ?? .infinity))
    }
  }
}
