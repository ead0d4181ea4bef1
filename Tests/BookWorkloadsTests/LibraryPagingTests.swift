import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct LibraryPagingTests {
  private func counters(_ paging: String, page: Int = 100) throws -> [String: Double] {
    let parameters = try ParameterValues(
      [
        "works": .int(350), "paging": .string(paging), "page": .int(page),
        "fling": .double(100_000), "clock": .string("unpaced"),
      ], of: LibraryPaging.parameters)
    let counters = try WorkloadRun(LibraryPaging.self, parameters, in: try TemporaryFolder())
      .counters
    #expect(Set(counters.keys) == Set(LibraryPaging.counters.map(\.name)))
    return counters
  }

  @Test func `a library that is read at once needs one query`() throws {
    let counters = try counters("none")
    #expect(counters["paging.first_rows"] == 350)
    #expect(counters["paging.pages"] == 1)
  }

  // Three full pages and one of 50 books.
  @Test(arguments: ["offset", "after"])
  func `pages of a hundred books give the same books`(paging: String) throws {
    let counters = try counters(paging)
    #expect(counters["paging.first_rows"] == 100)
    #expect(counters["paging.rows"] == 350)
    #expect(counters["paging.pages"] == 4)
  }

  @Test func `a library of whole pages has no empty page`() throws {
    let counters = try counters("after", page: 50)
    #expect(counters["paging.rows"] == 350)
    #expect(counters["paging.pages"] == 7)
  }
}
