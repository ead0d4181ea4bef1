import Foundation
import PerfTestSupport
import Testing

@testable import LibraryStore

/// Exports of books with seeded changes are read, or refused with an error.
struct MutatedExportTests {
  @Test func `a changed export is read or refused`() throws {
    let folder = try TemporaryFolder()
    let goodreads =
      `Goodreads import`.header + "\n"
      + String(repeating: `Goodreads import`.persuasion + "\n", count: 4)
    let other = "Title;Author;ISBN\r\n\"Ä, ß\";Łem;9780192802637\r\nB;\"C\r\nD\";\r\n"
    let path = folder("export.csv")
    var rows = 0
    try Mutation.each(of: [Array(goodreads.utf8), Array(other.utf8)], count: 600, seed: 10) {
      bytes in
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      do throws(LibraryError) {
        var reader = try CSVReader(path: path)
        while try reader.next() != nil { rows += 1 }
      } catch {
        #expect(!"\(error)".isEmpty)
      }
      do throws(LibraryError) {
        var export = try BookExport(path: path, malformedRows: .skip)
        while try export.next() != nil { rows += 1 }
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
    // A sixth of the inputs has one change, of which 0.1 * 0.9 change nothing: about nine are whole, and each file
    // has three records or more. One whole input suffices.
    #expect(rows >= 3)
  }
}
