import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfReport

@Suite struct `A file of a report` {
  private func type(of path: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  @Test func `a path that cannot be written is reported`() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder("file")))
    #expect(throws: ReportError.self) {
      try DocumentFile.write("x", to: folder("file/report.html"))
    }
    #expect(throws: ReportError.cannotWrite(path: folder.path, reason: "Is a directory")) {
      try DocumentFile.write("x", to: folder.path)
    }
  }

  @Test(arguments: [true, false])
  func `a symbolic link is kept and its target replaced`(isThere: Bool) throws {
    let folder = try TemporaryFolder()
    if isThere { try DocumentFile.write("before", to: folder("target")) }
    try FileManager.default.createSymbolicLink(
      atPath: folder("link"), withDestinationPath: "target")
    try DocumentFile.write("after", to: folder("link"))
    #expect(try type(of: folder("link")) == .typeSymbolicLink)
    #expect(try String(contentsOfFile: folder("target"), encoding: .utf8) == "after")
  }

  @Test func `a file that replaces another one keeps its rights and leaves no part`() throws {
    let folder = try TemporaryFolder()
    for text in ["before", "after"] {
      try UnnamedFile.write(Data(text.utf8), as: folder("report.html"))
      #expect(try String(contentsOfFile: folder("report.html"), encoding: .utf8) == text)
      chmod(folder("report.html"), 0o640)
    }
    try UnnamedFile.write(Data(), as: folder("report.html"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder("report.html"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["report.html"])
  }

  @Test func `a file that cannot get its name leaves no part`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder("taken/inside"), withIntermediateDirectories: true)
    #expect(throws: POSIXError.self) { try UnnamedFile.write(Data([1]), as: folder("taken")) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken"])
  }

  @Test func `a named pipe is written to`() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder("pipe"), 0o600) == 0)
    // The reader is non-blocking, so the writer does not block either.
    let reader = open(folder("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    try DocumentFile.write("into it", to: folder("pipe"))
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "into it")
  }

  /// Creates a device with the numbers of /dev/full in a private folder: a faulty writer would
  /// replace /dev/full for the whole machine.
  private static func makeFullDevice(at path: String) -> Bool {
    mknod(path, S_IFCHR | 0o600, 1 << 8 | 7) == 0 && access(path, W_OK) == 0
  }

  @Test func `a device is written to and its error reported`() throws {
    let folder = try TemporaryFolder()
    let own = folder("full")
    // A user who may not create devices cannot replace one either.
    let device = Self.makeFullDevice(at: own) ? own : "/dev/full"
    #expect(throws: ReportError.cannotWrite(path: device, reason: "No space left on device")) {
      try DocumentFile.write("x", to: device)
    }
    #expect(try type(of: device) == .typeCharacterSpecial)
  }

  @Test(arguments: ["/dev/fd", "/proc/self/fd"])
  func `a descriptor is written at its position`(folderOfDescriptors: String) throws {
    let folder = try TemporaryFolder()
    try DocumentFile.write("before, ", to: folder("log"))
    let log = open(folder("log"), O_WRONLY | O_APPEND)
    defer { close(log) }
    try DocumentFile.write("after", to: "\(folderOfDescriptors)/\(log)")
    #expect(try String(contentsOfFile: folder("log"), encoding: .utf8) == "before, after")
  }
}
