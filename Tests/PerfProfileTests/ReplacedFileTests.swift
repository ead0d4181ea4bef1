import Foundation
import Glibc
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Files that are replaced while their program runs, as builds and updates do.
struct ReplacedFileTests {
  /// Returns whether a file is taken for the one that was loaded at a time, in seconds since 1970.
  private func isTaken(_ path: String, loadedBy time: Double?) -> Bool {
    let images = ModuleImages()
    let module = LoadedModule(path: path, buildID: [], bias: 0, low: 0x1000, high: 0x2000)
    let isTaken = images.image(images.index(of: module, loadedBy: time)) != nil
    #expect(images.warnings.map(\.code) == (isTaken ? [] : ["symbols.module_changed"]))
    return isTaken
  }

  @Test func `a file without build id must be older than its load`() throws {
    let program = try TestProgram.build("unmarked", ["nothing.c"])
    var status = stat()
    try #require(stat(program.path, &status) == 0)
    let changed = status.st_ctim.seconds
    #expect(isTaken(program.path, loadedBy: changed + 1))
    #expect(!isTaken(program.path, loadedBy: changed - 1))
    #expect(isTaken(program.path, loadedBy: nil))
  }

  // The kernel adds the mark to the path in /proc/PID/maps (proc_pid_maps(5)).
  @Test func `a file that was replaced while its process ran is not called unreadable`() {
    let images = ModuleImages()
    let module = LoadedModule(
      path: "/usr/bin/server (deleted)", buildID: [], bias: 0, low: 0x1000, high: 0x2000)
    _ = images.index(of: module)
    #expect(images.warnings.map(\.code) == ["symbols.module_changed"])
    #expect(images.warnings[0].message.hasPrefix("'/usr/bin/server' was replaced or removed"))
  }

  @Test func `the time of a file with a build id is of no importance`() throws {
    let program = try TestProgram.build("marked", ["nothing.c"], flags: ["-Wl,--build-id"])
    #expect(isTaken(program.path, loadedBy: 0))
  }
}
