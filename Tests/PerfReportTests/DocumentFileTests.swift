import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfReport

@Suite struct `A file of a report` {
  private func type(of path: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  @Test func `a place that cannot be written is named`() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder("file")))
    #expect(throws: ReportError.self) {
      try DocumentFile.write("x", to: folder("file/report.html"))
    }
    #expect(throws: ReportError.cannotWrite(path: folder.path, reason: "it is a folder")) {
      try DocumentFile.write("x", to: folder.path)
    }
  }

  @Test(arguments: [true, false])
  func `a link stays and leads to the new file`(isThere: Bool) throws {
    let folder = try TemporaryFolder()
    if isThere { try DocumentFile.write("before", to: folder("target")) }
    try FileManager.default.createSymbolicLink(
      atPath: folder("link"), withDestinationPath: "target")
    try DocumentFile.write("after", to: folder("link"))
    #expect(try type(of: folder("link")) == .typeSymbolicLink)
    #expect(try String(contentsOfFile: folder("target"), encoding: .utf8) == "after")
  }

  @Test func `a pipe is written into`() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder("pipe"), 0o600) == 0)
    // A reader that waits for nobody, so that the writer does not wait either.
    let reader = open(folder("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try DocumentFile.write("into it", to: folder("pipe"))
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "into it")
  }

  /// Of the numbers of /dev/full, in a folder of its own: a writer that replaced it would do so for the
  /// whole machine.
  private static func makeFullDevice(at path: String) -> Bool {
    mknod(path, S_IFCHR | 0o600, 1 << 8 | 7) == 0 && access(path, W_OK) == 0
  }

  @Test func `a device stays one, and says what it lacks`() throws {
    let folder = try TemporaryFolder()
    let own = folder("full")
    // Whoever may make none may replace none either.
    let device = Self.makeFullDevice(at: own) ? own : "/dev/full"
    #expect(throws: ReportError.cannotWrite(path: device, reason: "No space left on device")) {
      try DocumentFile.write("x", to: device)
    }
    #expect(try type(of: device) == .typeCharacterSpecial)
  }

  @Test(arguments: ["/dev/fd", "/proc/self/fd"])
  func `a descriptor is written where it is`(folderOfDescriptors: String) throws {
    let folder = try TemporaryFolder()
    try DocumentFile.write("before, ", to: folder("log"))
    let log = open(folder("log"), O_WRONLY | O_APPEND)
    defer { close(log) }
    try DocumentFile.write("after", to: "\(folderOfDescriptors)/\(log)")
    #expect(try String(contentsOfFile: folder("log"), encoding: .utf8) == "before, after")
  }
}
