import CoverCache
import Foundation
import PerfTestSupport
import Testing

@testable import BookWorkloads

struct UserCoversTests {
  private let root: TemporaryFolder
  private let folder: String

  init() throws {
    root = try TemporaryFolder()
    folder = root("covers")
    try makeFolder(folder)
  }

  private func write(_ names: String...) throws {
    let cover = Data(try CoverWorkshop(seed: 1, sizes: .small).encodedCover(1))
    for name in names { try cover.write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
  }

  private func covers(limit: Int = UserCovers.mostEntries) throws -> UserCovers {
    try UserCovers(folder: folder, earlier: nil, limit: limit) { _, _ in }
  }

  @Test func `pipes, folders and links to nowhere are never opened`() throws {
    try write("c.jpg")
    #expect(mkfifo("\(folder)/a.jpg", 0o600) == 0)
    #expect(symlink("nowhere", "\(folder)/b.jpg") == 0)
    #expect(symlink("loop.jpg", "\(folder)/loop.jpg") == 0)
    try makeFolder("\(folder)/d.jpg")
    let covers = try covers()
    #expect(covers.usable == ["c.jpg"])
    #expect(covers.skipped.isEmpty)
    #expect(covers.leftOut == 0)
  }

  @Test func `a folder of very many covers is read up to a limit`() throws {
    try write("a.jpg", "b.jpeg", "c.JPG")
    // Thirteen names with a limit of two: the list is cut several times.
    for number in 0..<10 { #expect(symlink("nowhere", "\(folder)/x\(number).jpg") == 0) }
    try write("notes.txt")
    let covers = try covers(limit: 2)
    #expect(covers.usable == ["a.jpg", "b.jpeg"])
    #expect(covers.leftOut == 11)
    #expect(
      DatasetReport.Warning.coversNotRead(covers).message
        == "'\(folder)' has too many covers: the last 11 are not read")
    #expect(UserCovers.mostEntries >= 10_000, "the largest library has 10,000 books")
  }
}
