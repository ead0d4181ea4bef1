import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfRunner

struct PageCacheTests {
  @Test func `the page count of a file is rounded up`() throws {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let folder = try TemporaryFolder()
    try Data(count: 3 * page + 1).write(to: URL(fileURLWithPath: folder("pages")))
    let file = open(folder("pages"), O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    let found = PageCache.residency(of: file)
    #expect(found.pages == 4)
    #expect((0...4).contains(found.resident))
  }
}
