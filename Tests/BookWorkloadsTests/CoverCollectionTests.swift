import Foundation
import Synchronization
import PerfTestSupport
import Testing

@testable import BookWorkloads

struct CoverCollectionTests {
  let folder: TemporaryFolder
  let collection: CoverCollection

  init() throws {
    folder = try TemporaryFolder()
    collection = CoverCollection(folder: folder.path, seed: 7, sizes: .small)
  }

  /// Completes the collection and returns the number of created covers.
  @discardableResult
  func complete(upTo count: Int) throws -> Int {
    let made = Mutex(0)
    try collection.complete(upTo: count) { done, total in
      #expect(done <= total)
      made.withLock { made in
        #expect(done == made + 1)
        made = done
      }
    }
    return made.withLock { $0 }
  }

  func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let pairs = try names.filter { $0.hasSuffix(".jpg") }.map {
      ($0, try Data(contentsOf: URL(fileURLWithPath: folder($0))))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test func `covers are created once, in blocks of a hundred`() throws {
    #expect(try complete(upTo: 0) == 0)
    #expect(try complete(upTo: 1) == 100)
    #expect(try complete(upTo: 100) == 0)
    let before = try contents()
    #expect(before.count == 100)
    #expect(try complete(upTo: 101) == 100)
    #expect(try contents().filter { before[$0.key] != nil } == before)
  }

  @Test func `missing and truncated covers are created again`() throws {
    try complete(upTo: 100)
    let before = try contents()
    try FileManager.default.removeItem(atPath: folder("00010.jpg"))
    _ = try folder.write("", to: "00020.jpg")
    #expect(try complete(upTo: 100) == 2)
    #expect(try contents() == before)
  }

  @Test func `covers with changed contents are created again`() throws {
    try complete(upTo: 100)
    let before = try contents()
    // All files are changed, so that every sample contains one.
    for (name, data) in before {
      var damaged = data
      damaged[data.count / 2] ^= 0xFF
      try damaged.write(to: URL(fileURLWithPath: folder(name)))
    }
    #expect(try complete(upTo: 100) == 100)
    #expect(try contents() == before)
  }

  @Test func `covers of a block without a manifest are created again`() throws {
    try complete(upTo: 100)
    try FileManager.default.removeItem(atPath: folder("block-0.json"))
    #expect(try complete(upTo: 100) == 100)
    _ = try folder.write("{", to: "block-0.json")
    #expect(try complete(upTo: 100) == 100)
  }

  @Test func `temporary files are removed, also after a crash`() throws {
    _ = try folder.write("half a cov", to: "00003.jpg.4711.tmp")
    try complete(upTo: 100)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { !$0.hasSuffix(".jpg") } == ["block-0.json"])
  }

  @Test func `a missing folder is an error`() throws {
    let collection = CoverCollection(folder: folder("none"), seed: 7, sizes: .small)
    #expect {
      try collection.complete(upTo: 1) { _, _ in }
    } throws: { error in
      guard case DatasetError.cache = error else { return false }
      return true
    }
  }

  @Test func `the error about a full disk reports the needed space`() {
    let error = DatasetError.system(ENOSPC, path: folder.path, neededBytes: 5_000_000)
    guard case .diskFull(folder.path, 5_000_000, _) = error else {
      Issue.record("not a full disk: \(error)")
      return
    }
    #expect(error.description.contains("about 5 MB"))
  }

  // The test vectors of the FNV draft for the empty text, "a" and "foobar".
  @Test(arguments: [
    ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
  ])
  func `checksums match the FNV-1a test vectors`(text: String, sum: String) {
    #expect(checksum(of: text.utf8) == sum)
  }
}
