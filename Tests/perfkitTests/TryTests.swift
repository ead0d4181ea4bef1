import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Campaigns of tries in a repository whose program is built and measured.
@Suite(.serialized)
struct TryTests {
  @Test func `a campaign keeps a gain, measures the total and drops a loss`() throws {
    let repository = try TestRepository()
    let start = try repository.git("rev-parse", "HEAD")
    try repository.program(decode: 10, layout: 20)
    let first = repository.perfkit(
      "try", "--scenario", "work", "--because", "decode half", "--no-profile", "--format", "json")
    #expect(first.status == .done, "\(first.errors)")
    let kept = try first.json()
    let attempt = try #require(kept["try"] as? [String: Any])
    #expect(attempt["decision"] as? String == "keep")
    #expect(kept["metric"] as? String == "cpu.total" && kept["start"] as? String == start)
    // 30 instead of 40 million steps: a quarter less.
    let claimed = try #require(attempt["claimed"] as? Double)
    #expect((-0.35 ... -0.15).contains(claimed))
    let total = try #require(attempt["total"] as? [String: Any])
    #expect((-0.35 ... -0.15).contains(try #require(total["change"] as? Double)))
    // The kept checkout is the anchor, and a reference that is no branch protects it.
    let anchor = try #require(kept["anchor"] as? String)
    #expect(try repository.git("rev-parse", "refs/perfkit/campaign-1-1") == anchor)
    #expect(try repository.git("branch", "--list") == "* main")

    let same = repository.perfkit("try", "--no-profile")
    #expect(same.status == .usage && same.says("equals the anchor try 1"))

    try repository.program(decode: 20, layout: 20)
    let second = repository.perfkit("try", "--no-profile", "--exit-code")
    #expect(second.status == .gateFailed, "\(second.errors)")
    #expect(second.output.hasPrefix("Drop: cpu.total rose by"))
    #expect(second.output.contains("2 tries, 1 kept"))
    #expect(second.output.split(separator: "\n", omittingEmptySubsequences: false).count <= 16)
  }

  @Test func `the first try needs a scenario, and a campaign keeps its question`() throws {
    let repository = try TestRepository()
    try repository.scenario("other", budget: "wall <= 60 s")
    try repository.commit("Measure another program")
    let missing = repository.perfkit("try")
    #expect(missing.status == .usage)
    #expect(missing.says("Pass --scenario with a name: other, work."))
    let same = repository.perfkit("try", "--scenario", "work")
    #expect(same.status == .usage && same.says("equals the anchor HEAD"))
    try repository.write("notes.md", "A note.")
    let unknown = repository.perfkit("try", "--scenario", "wrok")
    #expect(unknown.says("work"))
  }

  @Test func `too few pairs, and a metric that a command never has, begin no campaign`() throws {
    let repository = try TestRepository()
    try repository.program(decode: 10, layout: 20)
    let few = repository.perfkit("try", "--scenario", "work", "--max-pairs", "11")
    #expect(few.status == .usage, "\(few.output)")
    #expect(few.says("--max-pairs 11 is too small: the first verdict of this try is possible"))
    let result = repository.perfkit("try", "--scenario", "work", "--metric", "rss.end")
    #expect(result.status == .usage, "\(result.output)\(result.errors)")
    #expect(result.says("a command never has 'rss.end'"), "\(result.errors)")
  }

  @Test func `a change of comments needs no launches`() throws {
    let repository = try TestRepository()
    try repository.write("notes.md", "A note.")
    let result = repository.perfkit("try", "--scenario", "work", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let json = try result.json()
    let attempt = try #require(json["try"] as? [String: Any])
    #expect(attempt["objection"] as? String == "the program is the same as the anchor's")
    #expect(json["number"] as? Int == 0)
  }
}
