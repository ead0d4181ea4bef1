import Foundation
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Copies of programs for valgrind, which cannot read all debug information.
struct UndescribedCopyTests {
  private func image(_ path: String) throws -> ElfImage {
    try ElfImage(path: path, memory: ImageMemory(path: path))
  }

  private func debugNames(_ path: String) throws -> [String] {
    try image(path).sections().map(\.name).filter { $0.hasPrefix(".debug") }
  }

  @Test func `a copy differs from its program in the names of debug sections alone`() throws {
    let program = try TestProgram.build("described", ["nothing.c"], flags: ["-g"])
    let folder = try TemporaryFolder()
    let copy = try UndescribedCopy(of: program.path, in: folder("copy"))
    #expect(copy.path == folder("copy/described"))
    #expect(copy.original(of: copy.path) == program.path)
    #expect(copy.original(of: "/usr/lib/libc.so.6") == "/usr/lib/libc.so.6")
    #expect(try !debugNames(program.path).isEmpty)
    #expect(try debugNames(copy.path).isEmpty)
    let (first, second) = (try image(program.path), try image(copy.path))
    #expect(first.buildID == second.buildID)
    #expect(
      first.sections().map(\.section) == second.sections().map(\.section))
    #expect(try ProgramImage(path: program.path) == ProgramImage(path: copy.path))
    #expect(FileManager.default.isExecutableFile(atPath: copy.path))
  }

  @Test func `a program without debug information is not copied`() throws {
    let program = try TestProgram.build("undescribed", ["nothing.c"])
    let folder = try TemporaryFolder()
    let copy = try UndescribedCopy(of: program.path, in: folder("copy"))
    #expect(copy.path == program.path)
    #expect(copy.original(of: program.path) == program.path)
    #expect(!FileManager.default.fileExists(atPath: folder("copy")))
  }

  @Test func `the files beside a program are linked, and described libraries are copied`() throws {
    let program = try TestProgram.build("described", ["nothing.c"], flags: ["-g"])
    let library = try TestProgram.build(
      "described.so", ["library.c"], flags: ["-g", "-shared", "-fPIC"])
    let folder = try TemporaryFolder()
    let files = FileManager.default
    for (path, name) in [(program.path, "app"), (library.path, "libapp.so.1")] {
      try files.copyItem(atPath: path, toPath: folder(name))
    }
    try Data("a resource".utf8).write(to: URL(fileURLWithPath: folder("data.txt")))
    let copy = try UndescribedCopy(of: folder("app"), in: folder("copy"))
    #expect(files.contents(atPath: folder("copy/data.txt")) == Data("a resource".utf8))
    #expect(try debugNames(folder("copy/libapp.so.1")).isEmpty)
    #expect(copy.original(of: folder("copy/libapp.so.1")) == folder("libapp.so.1"))
  }
}
