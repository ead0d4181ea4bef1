import Foundation
import PerfRunner
import PerfTestSupport
import Testing

/// Watches of files in a temporary folder.
struct FileWatchTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder("books"), withIntermediateDirectories: true)
    for name in ["one.md", "two.md"] {
      try Data("words".utf8).write(to: URL(fileURLWithPath: folder("books/\(name)")))
    }
  }

  private func open(_ name: String) throws {
    _ = try Data(contentsOf: URL(fileURLWithPath: folder("books/\(name)")))
  }

  @Test func `a watched file that is opened is detected once`() throws {
    let watch = try #require(FileWatch([folder("books/one.md"), folder("books/missing.md")]))
    #expect(!watch.hasOpened())
    try open("two.md")
    #expect(!watch.hasOpened())
    try open("one.md")
    #expect(watch.hasOpened())
    #expect(!watch.hasOpened())
  }

  @Test func `a watched folder that is listed is detected, and its files are not`() throws {
    let watch = try #require(FileWatch([folder("books")]))
    try open("one.md")
    #expect(!watch.hasOpened())
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("books")).count == 2)
    #expect(watch.hasOpened())
  }
}
