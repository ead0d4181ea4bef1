import Foundation
import Glibc
import PerfTestSupport
import Synchronization
import Testing

@testable import PerfRunner

struct ScratchFolderTests {
  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `a folder is for its user alone, and so are its new parents`() throws {
    let folder = try TemporaryFolder()
    let scratch = try ScratchFolder(folder("a/b"))
    #expect(mode(folder("a")) == 0o700)
    #expect(mode(folder("a/b")) == 0o700)
    #expect(!scratch.isTaken)
    scratch.remove()
    #expect(mode(folder("a/b")) == 0)
  }

  @Test func `a folder in use is neither cleared nor swept`() throws {
    let folder = try TemporaryFolder()
    let used = try ScratchFolder(folder("used"))
    #expect(!ScratchFolder.clear(folder("used")))
    #expect(try ScratchFolder(folder("used")).isTaken)
    _ = try ScratchFolder(folder("other"))
    #expect(mode(folder("used")) == 0o700)
    used.remove()
  }

  @Test func `a folder that a killed process left is cleared, and swept by the next one`() throws {
    let folder = try TemporaryFolder()
    // The lock ends with the value.
    _ = try ScratchFolder(folder("first"))
    #expect(mode(folder("first")) == 0o700)
    #expect(ScratchFolder.clear(folder("first")))
    #expect(mode(folder("first")) == 0)
    #expect(ScratchFolder.clear(folder("first")))
    _ = try ScratchFolder(folder("second"))
    // Without PerfKit's mark it is another program's.
    try FileManager.default.createDirectory(
      atPath: folder("foreign"), withIntermediateDirectories: true)
    _ = try ScratchFolder(folder("third"))
    #expect(mode(folder("second")) == 0)
    #expect(mode(folder("foreign")) != 0)
  }

  @Test func `a folder is swept that a process was making or removing when it was killed`() throws {
    let folder = try TemporaryFolder()
    let name = folder("old.0123ABCD.perfkit-scratch")
    try FileManager.default.createDirectory(
      atPath: name + "/rest", withIntermediateDirectories: true)
    let scratch = try ScratchFolder(folder("new"))
    #expect(mode(name) == 0)
    // A folder has its name only with its mark.
    #expect(mode(folder("new/.perfkit-scratch")) != 0)
    scratch.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `eight processes that make folders at once all have their own`() throws {
    let folder = try TemporaryFolder()
    let own = Mutex([Int](repeating: 0, count: 8))
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for _ in 0..<50 {
        guard let scratch = try? ScratchFolder(folder("run-\(number)")),
          mode(folder("run-\(number)/.perfkit-scratch")) != 0, !scratch.isTaken
        else { continue }
        own.withLock { $0[number] += 1 }
        scratch.remove()
      }
    }
    #expect(own.withLock(\.self) == Array(repeating: 50, count: 8))
  }
}
