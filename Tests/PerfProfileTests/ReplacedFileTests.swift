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

  @Test func `the time of a file with a build id is of no importance`() throws {
    let program = try TestProgram.build("marked", ["nothing.c"], flags: ["-Wl,--build-id"])
    #expect(isTaken(program.path, loadedBy: 0))
  }
}
