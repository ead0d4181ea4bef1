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

  private func names(in folder: TemporaryFolder) throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  @Test func `the link that a killed writer left is removed by the next writer of the file`() throws
  {
    let folder = try TemporaryFolder()
    try DocumentFile.write("before", to: folder("a"))
    // FNV-1a of "a" is af63dc4c8601ec8c (Fowler, Noll, Vo: test vectors).
    let (own, other) = (".perfkit-af63dc4c8601ec8c.part", ".perfkit-0000000000000000.part")
    for name in [own, other] { try Data().write(to: URL(filePath: folder(name))) }
    try DocumentFile.write("after", to: folder("a"))
    #expect(try names(in: folder) == ["a", other])
    #expect(try String(contentsOfFile: folder("a"), encoding: .utf8) == "after")
  }

  /// Returns the permissions of a file.
  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `a new file in a folder .perfkit is for its user alone, as is a new folder`() throws {
    let folder = try TemporaryFolder()
    let file = folder(".perfkit/verdict.json")
    try DocumentFile.write("before", to: file)
    #expect(mode(folder(".perfkit")) == 0o700)
    #expect(mode(file) == 0o600)
    chmod(file, 0o640)
    try DocumentFile.write("after", to: file)
    #expect(mode(file) == 0o640)
  }

  @Test func `a replaced file keeps its mode, and a name may have 255 bytes`() throws {
    let folder = try TemporaryFolder()
    let file = folder(String(repeating: "n", count: 255))
    try DocumentFile.write("before", to: file)
    chmod(file, 0o640)
    try DocumentFile.write("after", to: file)
    #expect(mode(file) == 0o640)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "after")
  }

  @Test func `writers of one file at the same time leave one whole content and nothing else`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder("report")
    let texts = (0..<8).map { String(repeating: "\($0)", count: 10_000) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for text in texts {
        group.addTask { for _ in 0..<20 { try DocumentFile.write(text, to: path) } }
      }
      try await group.waitForAll()
    }
    #expect(try texts.contains(String(contentsOfFile: path, encoding: .utf8)))
    #expect(try names(in: folder) == ["report"])
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
