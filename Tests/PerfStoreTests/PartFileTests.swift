import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfStore

/// The files that an export writes before it is complete.
struct PartFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  @Test func `an export removes the parts of killed exports and nothing else`() throws {
    let store = try RunStore(path: folder("runs.sqlite"))
    try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "one1"))
    let kept = [
      "out.sqlite.part", "out.sqlite.notes.part", "out.sqlite.0123ABCD.part.old",
      "other.sqlite.0123ABCD.part",
    ]
    let left = ["", "-wal", "-shm", "-journal"].map { "out.sqlite.0123ABCD.part\($0)" }
    for name in kept + left {
      try Data([1]).write(to: URL(fileURLWithPath: folder(name)))
    }
    // The parts of exports to other files: nothing is written yet, the first page is not, and it is.
    let starts: [[UInt8]] = [[], [0, 0], Array("SQLite format 3\0page".utf8)]
    for (number, start) in starts.enumerated() {
      let other = "monday-\(number).sqlite.0123ABCD.part"
      try Data(start).write(to: URL(fileURLWithPath: folder(other)))
    }
    _ = try store.export(to: folder("out.sqlite"))
    let expected = Set(kept + ["out.sqlite"])
    #expect(Set(try names.filter { !$0.hasPrefix("runs.sqlite") }) == expected)
  }

  @Test func `an export keeps a folder, a link and a pipe with the name of a part`() throws {
    let store = try RunStore(path: folder("runs.sqlite"))
    try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: "one1"))
    let (directory, link, pipe) = (
      "out.sqlite.00000001.part", "out.sqlite.00000002.part", "out.sqlite.00000003.part"
    )
    try FileManager.default.createDirectory(
      atPath: folder(directory), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder(link), withDestinationPath: folder("runs.sqlite"))
    // Nothing writes to it, so that a reader of it would wait.
    try #require(mkfifo(folder(pipe), 0o600) == 0)
    _ = try store.export(to: folder("out.sqlite"))
    #expect(Set(try names).isSuperset(of: [directory, link, pipe, "runs.sqlite", "out.sqlite"]))
  }

  @Test func `the temporary file of a killed transfer is removed by the next transfer`() throws {
    let run = SampleRuns.run(launches: 1, samples: 10, fling: 0, id: "one1")
    let left = "\(RunStore.temporaryFile).\(UUID().uuidString.prefix(8)).part"
    try Data([1]).write(to: URL(fileURLWithPath: left))
    let bytes = try RunStore.bytes(of: run)
    #expect(!FileManager.default.fileExists(atPath: left))
    let store = try RunStore.inMemory()
    #expect(try store.importBytes(bytes, ofRun: "one1", from: "a test").runs == 1)
    expectEqual(try store.run(id: "one1"), run)
  }

  @Test func `the part of a running export is kept until it ends`() throws {
    do {
      let first = try PartFile(of: folder("out.sqlite"))
      let second = try PartFile(of: folder("out.sqlite"))
      let other = try PartFile(of: folder("other.sqlite"))
      #expect(try names.count == 3)
      #expect(Set([first.path, second.path, other.path]).count == 3)
    }
    #expect(try names == [])
  }

  @Test func `a folder that cannot be written is reported`() {
    #expect(
      throws: StoreError.notWritable(
        path: "/proc/out.sqlite", cause: "No such file or directory")
    ) { try PartFile(of: "/proc/out.sqlite") }
  }
}
