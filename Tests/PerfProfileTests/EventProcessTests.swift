import Foundation
import Glibc
import Testing

@testable import PerfProfile

/// The start of a process, and the maps that are older.
struct EventProcessTests {
  @Test func `a map that was last written before its process began belongs to another process`()
    throws
  {
    // The largest process id of Linux is 4,194,304, so that no process has this id.
    let id: Int32 = 4_194_306
    let path = "/tmp/perf-\(id).map"
    defer { unlink(path) }
    let now = monotonicNanoseconds()
    func names(isForked: Bool, started: Double?) -> [String] {
      let process = EventProcess(
        id, at: now, parent: nil, isForked: isForked, EventSettings(), storage: SampleStorage())
      process.facts = ProcessFacts(
        root: "", owner: geteuid(), innermostID: id, started: started)
      return process.finish(EventModules(), at: now).generated.functions.map(\.name)
    }
    try Data("7f0010 20 scan".utf8).write(to: URL(fileURLWithPath: path))
    #expect(names(isForked: true, started: nil) == ["scan"])
    let written = Date(timeIntervalSinceNow: -3600)
    try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: path)
    #expect(names(isForked: true, started: nil).isEmpty)
    // Sampling of the process began after the map was written. The process may have begun before.
    let seconds = written.timeIntervalSince1970
    #expect(names(isForked: false, started: seconds + 60).isEmpty)
    #expect(names(isForked: false, started: seconds - 60) == ["scan"])
    #expect(names(isForked: false, started: nil) == ["scan"])
  }

  @Test func `the start of a running process is read from the kernel`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cat")
    process.standardInput = Pipe()
    let before = Date().timeIntervalSince1970
    try process.run()
    let after = Date().timeIntervalSince1970
    defer { process.terminate() }
    let started = try #require(RunningProcess(process.processIdentifier).started)
    // The kernel rounds down to 10 ms. A busy machine may stop this test while it reads the two clocks.
    #expect(started > before - 5 && started < after + 5, "\(started) of \(before) to \(after)")
    // The largest process id of Linux is 4,194,304.
    #expect(RunningProcess(4_194_305).started == nil)
  }
}
