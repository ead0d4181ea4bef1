import CoverCache
import PerfTestSupport
import Testing

@Suite struct `covers in a folder` {
  @Test func `a file source returns the content of its files`() throws {
    let folder = try TemporaryFolder()
    try folder.write([1, 2, 3], to: "a.jpg")
    try folder.write([], to: "empty.jpg")
    let source = FileCoverSource(directory: folder.path)
    #expect(try source.encodedCover(for: "a.jpg") == [1, 2, 3])
    #expect(try source.encodedCover(for: "empty.jpg") == [])
  }

  @Test(arguments: ["", ".", "..", "../a.jpg", "/etc/passwd", "a\0.jpg", "missing"])
  func `a key outside the folder is not found`(key: String) throws {
    let source = FileCoverSource(directory: try TemporaryFolder().path)
    #expect(throws: CoverError.notFound(cover: key)) { try source.encodedCover(for: key) }
  }

  @Test func `an unreadable file is reported with its path and errno value`() throws {
    let folder = try TemporaryFolder()
    let source = FileCoverSource(directory: "\(folder.path)")
    // 36 is ENAMETOOLONG: a file name has at most 255 bytes.
    let key = String(repeating: "x", count: 300)
    #expect(throws: CoverError.unreadable(path: "\(folder.path)/\(key)", code: 36)) {
      try source.encodedCover(for: key)
    }
  }
}
