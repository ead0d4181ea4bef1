import CoverCache
import Glibc
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

  @Test func `pipes, folders and links without a target are refused at once`() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder("pipe.jpg"), 0o600) == 0)
    #expect(mkdir(folder("folder.jpg"), 0o700) == 0)
    #expect(symlink("pipe.jpg", folder("to-pipe.jpg")) == 0)
    #expect(symlink("missing.jpg", folder("dangling.jpg")) == 0)
    #expect(symlink("loop.jpg", folder("loop.jpg")) == 0)
    let source = FileCoverSource(directory: folder.path)
    let codes = [
      "pipe.jpg": ENOTSUP, "to-pipe.jpg": ENOTSUP, "folder.jpg": EISDIR, "loop.jpg": ELOOP,
    ]
    for (key, code) in codes {
      #expect(throws: CoverError.unreadable(path: folder(key), code: code)) {
        try source.encodedCover(for: key)
      }
    }
    #expect(throws: CoverError.notFound(cover: "dangling.jpg")) {
      try source.encodedCover(for: "dangling.jpg")
    }
  }

  @Test func `a huge file is refused before memory is allocated`() throws {
    let folder = try TemporaryFolder()
    try folder.write([0xFF, 0xD8], to: "huge.jpg")
    // A sparse file of 1 TiB takes no space.
    #expect(truncate(folder("huge.jpg"), 1 << 40) == 0)
    #expect(throws: CoverError.unreadable(path: folder("huge.jpg"), code: EFBIG)) {
      try FileCoverSource(directory: folder.path).encodedCover(for: "huge.jpg")
    }
  }
}
