import Foundation
import PerfRunner
import Testing

@testable import perfkit

/// The search for a commit.
@Suite(.serialized)
struct BisectTests {
  @Test func `the first bad one is found wherever it is, in few steps`() {
    for count in 1...40 {
      for first in 0..<count {
        var search = BisectSearch(count: count)
        var steps = 0
        while let index = search.next {
          search.set(index >= first ? .bad : .good, at: index)
          steps += 1
        }
        #expect(search.candidates == [first])
        // The least k with 2^k >= count.
        let least = (count - 1).bitWidth - (count - 1).leadingZeroBitCount
        #expect(steps <= least)
      }
    }
  }

  @Test func `those that cannot be told stay possible when they lie before the first bad one`() {
    var search = BisectSearch(count: 8)
    let unknown: Set = [2, 3, 6]
    while let index = search.next {
      search.set(unknown.contains(index) ? .unknown : index >= 4 ? .bad : .good, at: index)
    }
    #expect(search.candidates == [2, 3, 4])
  }

  @Test func `when the time is over no further one is looked at, and what is left is told`() throws
  {
    var search = BisectSearch(count: 16)
    var looked: [Int] = []
    search.run(while: { looked.count < 2 }) { index in
      looked.append(index)
      return index >= 9 ? .bad : .good
    }
    // 0 to 15, of which 15 is bad: 7 is good, 11 is bad.
    #expect(looked == [7, 11])
    #expect(search.candidates == Array(8...11))
    #expect(search.next != nil)
  }

  @Test func `commits that lack the scenario or fail are passed over`() throws {
    let repository = try TestRepository()
    let good = try repository.git("rev-parse", "HEAD")
    try repository.git("mv", "Scenarios/work.yml", "Scenarios/work.txt")
    try repository.commit("Without the scenario")
    try repository.git("mv", "Scenarios/work.txt", "Scenarios/work.yml")
    try repository.write("work.c", "int main(void) { return 3; }\n")
    try repository.commit("Fail")
    try repository.program(decode: 20, layout: 80)
    try repository.commit("Lay out four times")
    let result = repository.perfkit(
      "bisect", good, "HEAD", "--scenario", "work", "--metric", "cpu.total", "--margin", "30%",
      "--no-profile")
    // Any of the three may have brought it.
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    for message in ["Without the scenario", "Fail", "Lay out four times"] {
      #expect(result.output.contains(message))
    }
    #expect(result.output.contains("could not be built, measured or decided"))
    #expect(result.errors.contains("is passed over: no scenario 'work'"))
    #expect(result.errors.contains("is passed over: comparison"))
  }

  @Test func `a good revision on another branch is refused before anything is built`() throws {
    let repository = try TestRepository()
    let start = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "other")
    try repository.write("README", "words")
    try repository.commit("Words")
    try repository.git("checkout", "--quiet", "-b", "change", start)
    try repository.write("README", "other words")
    try repository.commit("Other words")
    let result = repository.perfkit(
      "bisect", "other", "change", "--scenario", "work", "--metric", "cpu.total")
    #expect(result.status == .usage)
    #expect(result.errors.contains("'other' is no ancestor of 'change'"))
    #expect(result.errors.contains("they part at \(start.prefix(10))"))
  }

  @Test func `what lacks the good revision, as a merge found it, is not searched`() throws {
    let repository = try TestRepository()
    func commit(_ name: String) throws -> String {
      try repository.write(name, "words")
      try repository.commit(name)
      return try repository.git("rev-parse", "HEAD")
    }
    let first = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "side")
    let side = try commit("side")
    try repository.git("checkout", "--quiet", "main")
    let beside = try commit("beside")
    try repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    let merge = try repository.git("rev-parse", "HEAD")
    let last = try commit("last")
    let checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
    func commits(after good: String) throws -> [String] {
      try checkout.commits(after: checkout.revision(good), to: checkout.revision("HEAD"))
    }
    #expect(try commits(after: side) == [merge, last])
    #expect(try commits(after: first) == [beside, merge, last])
    #expect(try commits(after: last).isEmpty)
  }

  @Test func `a margin in a unit that the metric is not measured in is refused before any build`()
    throws
  {
    let repository = try TestRepository()
    try repository.write("README", "words")
    try repository.commit("Words")
    let result = repository.perfkit(
      "bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "cpu.total", "--margin", "1 MB")
    #expect(result.status == .usage)
    #expect(
      result.errors.contains("cpu.total is not measured in 'MB'. Units: ns, us, ms, s, min."),
      "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit"))
  }

  @Test func `an end that cannot be measured is an error`() throws {
    let repository = try TestRepository()
    try repository.write("README", "words")
    try repository.commit("Words")
    try repository.write("build.sh", "exit 1\n")
    try repository.commit("Break the build")
    let broken = repository.perfkit(
      "bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "cpu.total")
    #expect(broken.status == .failed)
    #expect(broken.errors.contains("does not build: `/bin/sh build.sh` failed"))
    let unknown = repository.perfkit(
      "bisect", "HEAD~2", "HEAD~1", "--scenario", "wrok", "--metric", "cpu.total")
    #expect(unknown.status == .failed)
    #expect(unknown.errors.contains("no scenario 'wrok'"))
  }

  @Test func `the commit that made it slow is found behind one that does not build`() throws {
    let repository = try TestRepository()
    let good = try repository.git("rev-parse", "HEAD")
    try repository.write("README", "words")
    try repository.commit("Words")
    try repository.write("build.sh", "exit 1\n")
    try repository.commit("Break the build")
    try repository.write("build.sh", TestRepository.build)
    try repository.commit("Mend the build")
    try repository.program(decode: 60, layout: 20)
    try repository.commit("Decode three times")
    try repository.write("README", "more words")
    try repository.commit("More words")
    let result = repository.perfkit(
      "bisect", good, "HEAD", "--scenario", "work", "--metric", "cpu.total", "--margin", "30%",
      "--no-profile")
    #expect(result.status == .done, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Decode three times"))
    #expect(!result.output.contains("ords"))
    let nothing = repository.perfkit(
      "bisect", good, good + "~0", "--scenario", "work", "--metric", "cpu.total")
    #expect(nothing.status == .usage)
    #expect(nothing.errors.contains("there is no commit after"))
  }
}
