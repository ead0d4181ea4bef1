import CoverCache
import CoverPalette
import Foundation
import PerfTestSupport
import PerfWorkload
import Synchronization
import Testing

@testable import BookWorkloads

struct FolderPicturesTests {
  private let root: TemporaryFolder
  private let folder: String

  init() throws {
    root = try TemporaryFolder()
    folder = root("pictures")
    try makeFolder(folder)
  }

  /// Writes a picture of 16 x 24 pixels.
  private func write(_ picture: PaintedPicture, to name: String) throws {
    let size = PixelSize(width: 16, height: 24)
    let bytes = try picture.paint(size, seed: 3) { pixels throws(CoverError) in
      try JPEGEncoder().encode(rgba: pixels, size: size)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  private func prepare(_ count: Int = 10) throws -> (files: [String], warnings: [String]) {
    let warnings = Mutex<[String]>([])
    var report = DatasetReport()
    report.warn = { warning in warnings.withLock { $0.append(warning.message) } }
    let files = try FolderPictures(folder: folder, count: count, cache: root("cache"))
      .prepare(report)
    return (
      files.map { ($0 as NSString).lastPathComponent }, warnings.withLock(\.self)
    )
  }

  @Test func `the pictures of a folder are measured in alphabetic order`() throws {
    try write(.photograph(3), to: "b.JPG")
    try write(.photograph(4), to: "a.jpeg")
    #expect(try prepare(2).files == ["a.jpeg", "b.JPG"])
    #expect(try prepare(2).warnings.isEmpty)
    let parameters = try ParameterValues(
      ["folder": .string(folder), "count": .int(2), "rounds": .int(1)],
      of: PaletteExtract.parameters)
    let run = try WorkloadRun(PaletteExtract.self, parameters, in: root)
    #expect(run.setup.files == ["\(folder)/a.jpeg", "\(folder)/b.JPG"])
    #expect((run.counters["palette.pixel_distance"] ?? 0) > 0)
  }

  @Test func `entries that are no pictures are counted and never opened`() throws {
    try write(.photograph(0), to: "c.jpg")
    #expect(mkfifo("\(folder)/a.jpg", 0o600) == 0)
    #expect(symlink("nowhere", "\(folder)/b.jpg") == 0)
    #expect(symlink("loop.jpg", "\(folder)/loop.jpg") == 0)
    try makeFolder("\(folder)/d.jpg")
    try Data("not a JPEG".utf8).write(to: URL(fileURLWithPath: "\(folder)/e.jpg"))
    try Data().write(to: URL(fileURLWithPath: "\(folder)/f.jpg"))
    try Data().write(to: URL(fileURLWithPath: "\(folder)/notes.txt"))
    let found = try prepare()
    #expect(found.files == ["c.jpg"])
    let message = try #require(found.warnings.first)
    // The pipe, the two links and the folder; the text and the empty file; the notes.
    #expect(message.contains("4 *.jpg entries are not regular files"))
    #expect(message.contains("2 files cannot be decoded"))
    #expect(message.contains("1 entries have other names"))
    #expect(found.warnings.last == "there are 1 pictures instead of 10")
  }

  @Test func `a folder of many entries is read in bounded memory`() throws {
    // Two limits and a half, so that the list is cut twice.
    for number in 0..<5_000 {
      let name = "\(folder)/x\(10_000 + number).jpg"
      #expect(symlink("nowhere", name) == 0)
    }
    try write(.photograph(0), to: "a.jpg")
    try write(.photograph(1), to: "z.jpg")
    let entries = try FolderEntries(
      of: folder, limit: FolderPictures.mostEntries, parameter: "folder")
    #expect(entries.names.count == FolderPictures.mostEntries)
    #expect(entries.names.first == "a.jpg")
    #expect(entries.count == 5_002)
    let found = try prepare()
    // One name is tried with success, 1,999 are links, and 3,002 are not tried.
    #expect(found.files == ["a.jpg"])
    #expect(found.warnings.first?.contains("1999 *.jpg entries are not regular files") == true)
    #expect(found.warnings.first?.contains("3002 *.jpg entries come after") == true)
  }

  @Test func `a folder without usable pictures is an error that names the parameter`() throws {
    #expect(throws: DatasetError.noCovers(path: folder, parameter: "folder")) { try prepare() }
    #expect(mkfifo("\(folder)/a.jpg", 0o600) == 0)
    #expect(
      throws: DatasetError.noUsableCovers(
        path: folder, skipped: 1, firstReason: "it is not a regular file")
    ) { try prepare() }
    let missing = FolderPictures(folder: root("none"), count: 1, cache: root("cache"))
    #expect {
      _ = try missing.prepare(DatasetReport())
    } throws: { error in
      "\(error)".contains("none") && "\(error)".contains("--set folder=DIR")
    }
  }

  @Test func `a picture that changes after the setup is an error`() throws {
    try write(.photograph(0), to: "a.jpg")
    _ = try prepare(1)
    let pictures = FolderPictures(folder: folder, count: 1, cache: root("cache"))
    #expect(try pictures.load().map(\.name) == ["a.jpg"])
    try write(.photograph(1), to: "a.jpg")
    #expect(throws: DatasetError.self) { try pictures.load() }
  }
}
