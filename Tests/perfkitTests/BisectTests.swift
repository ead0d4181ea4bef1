import Foundation
import PerfGate
import PerfReport
import PerfRunner
import PerfTestSupport
import Testing

@testable import perfkit

/// The search for the commit by which a metric regressed.
@Suite(.serialized)
struct BisectTests {
  @Test func `commits without the scenario are measured, and those that fail are skipped`()
    throws
  {
    let repository = try TestRepository(steps: 5)
    let good = try repository.git("rev-parse", "HEAD")
    try repository.git("mv", "Scenarios/work.yml", "Scenarios/work.txt")
    try repository.commit("Without the scenario")
    try repository.git("mv", "Scenarios/work.txt", "Scenarios/work.yml")
    try repository.write("work.c", "int main(void) { return 3; }\n")
    try repository.commit("Fail")
    try repository.program(decode: 5, layout: 20)
    try repository.commit("Lay out four times")
    let result = repository.perfkit(
      "bisect", good, "HEAD", "--scenario", "work", "--metric", "cpu.total", "--margin", "30%",
      "--no-profile")
    // The first commit has the program of the good revision. Either of the others may be the first bad one.
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    for message in ["Fail", "Lay out four times"] { #expect(result.output.contains(message)) }
    #expect(!result.output.contains("Without the scenario"))
    #expect(result.prints("could not be built, measured or decided"))
    #expect(result.wideLines == [])
    #expect(result.errors.contains(": comparison"))
    #expect(result.errors.contains("skipping "))
  }

  @Test func `a good revision on another branch is refused before a build`() throws {
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
    #expect(result.errors.contains("their histories part at \(start.prefix(10))"))
    let swapped = repository.perfkit(
      "bisect", "change", start, "--scenario", "work", "--metric", "cpu.total")
    #expect(swapped.status == .usage)
    #expect(swapped.says("'change' comes after '\(start)'. Pass the good revision first."))
  }

  @Test func `a margin whose unit does not fit the metric is refused before a build`()
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

  @Test func `a metric that a command never has is refused before the first pair`() throws {
    let repository = try TestRepository()
    try repository.program(decode: 21, layout: 20)
    try repository.commit("Decode more")
    let result = repository.perfkit(
      "bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "rss.end")
    #expect(result.status == .usage, "\(result.output)\(result.errors)")
    #expect(result.says("a command never has 'rss.end'"), "\(result.errors)")
    let unknown = repository.perfkit(
      "bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "rss.paek")
    #expect(unknown.status == .usage)
    #expect(unknown.says("there is no metric 'rss.paek'; did you mean 'rss.peak'?"))
  }

  @Test(arguments: [
    (["--metric", "rss.paek"], "there is no metric 'rss.paek'; did you mean 'rss.peak'?"),
    (["--metric", "rss.end"], "a command never has 'rss.end'"),
  ])
  func `an unknown metric is refused although both ends have the same program`(
    words: [String], message: String
  ) throws {
    let repository = try TestRepository(steps: 1)
    try repository.write("README.md", "words")
    try repository.commit("Words")
    let result = repository.perfkit.run(
      ["bisect", "HEAD~1", "HEAD", "--scenario", "work"] + words)
    #expect(result.status == .usage, "\(result.output)\(result.errors)")
    #expect(result.says(message), "\(result.errors)")
  }

  @Test func `a bad revision that cannot be measured is an error`() throws {
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

  @Test func `the search goes into a merge and measures no commit with the same program`() throws {
    let repository = try TestRepository(steps: 5)
    let good = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "side")
    try repository.write("NOTES.md", "words")
    try repository.commit("Words on the branch")
    try repository.program(decode: 15, layout: 5)
    try repository.commit("Decode three times")
    try repository.git("checkout", "--quiet", "main")
    try repository.write("README.md", "words")
    try repository.commit("Words")
    try repository.git("merge", "--quiet", "--no-ff", "-m", "Merge the branch", "side")
    let result = repository.perfkit(
      "bisect", good, "HEAD", "--scenario", "work", "--metric", "cpu.total", "--margin", "30%",
      "--no-profile", "--format", "json")
    #expect(result.status == .done, "\(result.output)\(result.errors)")
    let commits = try #require(JSONValue(parsing: result.output.utf8))
    try expect(commits, matches: "bisect")
    #expect(commits.elements.map { $0["summary"]?.text } == ["Decode three times"])
    #expect(result.errors.contains(" merges 2 commits"), "\(result.errors)")
    #expect(result.errors.contains("good, it runs the program of"), "\(result.errors)")
  }

  @Test func `the commit that slowed the program is found after one that does not build`() throws {
    let repository = try TestRepository(steps: 5)
    let good = try repository.git("rev-parse", "HEAD")
    try repository.write("README", "words")
    try repository.commit("Words")
    try repository.write("build.sh", "exit 1\n")
    try repository.commit("Break the build")
    try repository.write("build.sh", TestRepository.build)
    try repository.commit("Mend the build")
    try repository.program(decode: 15, layout: 5)
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
