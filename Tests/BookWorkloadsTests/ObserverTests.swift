import CoverCache
import Foundation
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct PerformanceLogTests {
  @Test func `the log has a line per event with the colour of its category's limits`() throws {
    let folder = try TemporaryFolder()
    let log = try PerformanceLog(path: folder("performance.log"))
    log.write(.rendering, "Render LibraryView", took: .microseconds(87_420))
    log.write(.loading, "Cover 3", took: .milliseconds(17))
    log.write(.scroll, "Frame 9", took: .milliseconds(50))
    let text = try String(contentsOfFile: folder("performance.log"), encoding: .utf8)
    #expect(
      text == """
        green [Library Rendering] Render LibraryView: 87.42ms
        yellow [Image Loading] Cover 3: 17.00ms
        red [Scroll Performance] Frame 9: 50.00ms

        """)
    let context = MeasurementContext()
    log.report(to: context)
    #expect(context.counters["logger.events"] == 3)
    #expect((context.counters["logger.event_time"] ?? 0) > 0)
  }

  @Test func `the error of a log that cannot be opened names the path`() {
    #expect(throws: DatasetError.self) { try PerformanceLog(path: "/nowhere/performance.log") }
  }
}

struct AppMonitorTests {
  @Test func `the first frame after a pause does not count as dropped`() throws {
    var monitor = AppMonitor(covers: try CoverCache(source: NoCovers()), deviceBytes: 1)
    for _ in 0..<3 {
      #expect(try monitor.frameBegins() == nil)
      monitor.pause()
    }
    let context = MeasurementContext()
    monitor.report(to: context)
    #expect(context.counters["monitor.drops"] == 0)
    #expect(context.counters["monitor.polls"] == 0)
    #expect((context.counters["monitor.time"] ?? 0) > 0)
  }
}

private struct NoCovers: CoverSource {
  func encodedCover(for key: String) throws(CoverError) -> [UInt8] {
    throw .notFound(cover: key)
  }
}
