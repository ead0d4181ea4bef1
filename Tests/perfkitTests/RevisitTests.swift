import Foundation
import PerfModel
import PerfStore
import Testing

@testable import perfkit

/// Kept decisions, looked at again.
@Suite(.serialized)
struct RevisitTests {
  private let repository: TestRepository

  init() throws { repository = try TestRepository() }

  private func head() throws -> String { try repository.git("rev-parse", "HEAD") }

  /// Writes a decision into the ledger as if it had been measured.
  private func decide(
    _ base: String?, _ candidate: String?, variants: (String, String) = ("default", "default"),
    verdict: ComparisonVerdict = .improved, outcome: Decision.Resolution = .kept,
    comparison: String = UUID().uuidString
  ) throws {
    func side(_ commit: String?, _ variant: String) -> Comparison.Side {
      Comparison.Side(
        run: "r", scenario: "work", variant: variant, label: nil, commit: commit,
        started: Timestamp(milliseconds: 0))
    }
    let compared = Comparison(
      id: comparison, base: side(base, variants.0), candidate: side(candidate, variants.1),
      alpha: 0.02, seed: 1, metrics: [], functions: [], environmentDifferences: [], warnings: [],
      verdict: verdict)
    _ = try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite").append(
      Decision(
        compared, sentence: "", outcome: outcome, hypothesis: "", change: "", because: "So.",
        decided: Timestamp(milliseconds: 0)))
  }

  /// Commits a change of the program or of a file, and returns the commits before and after it.
  private func change(_ message: String, _ body: () throws -> Void) throws -> (String, String) {
    let before = try head()
    try body()
    try repository.commit(message)
    return (before, try head())
  }

  private func json(_ words: String...) throws -> [String: Any] {
    try repository.perfkit.run(["decide", "--revisit", "--format", "json"] + words).json()
  }

  @Test func `what cannot be measured again is listed with its reason`() throws {
    let (start, first) = try change("First words") { try repository.write("words", "one\n") }
    let (_, second) = try change("Other words") { try repository.write("words", "two\n") }
    try decide(start, first)
    try decide(first, second)
    try decide(second, String(repeating: "0123456789", count: 4))
    try decide(second, second)
    try decide(nil, second)
    try decide(second, second, variants: ("default", "other"))
    try decide(start, first, outcome: .reverted)
    try decide(start, first, comparison: "changed my mind")
    try decide(start, first, outcome: .reverted, comparison: "changed my mind")
    let plan = try json("--dry-run")
    #expect(plan["schema"] as? String == "perfkit.plan/1")
    let items = try #require(plan["comparisons"] as? [[String: Any]])
    let alone = items.filter { $0["kind"] as? String == "alone" }
    #expect(alone.compactMap { ($0["decisions"] as? [Int])?.first } == [1, 2, 3, 4, 5, 6])
    let reasons = alone.map { $0["reason"] as? String ?? "" }
    #expect(reasons[0].contains("it conflicts with later changes to words"))
    #expect(reasons[1] == "")
    #expect(
      alone[1]["base"] as? String
        == "HEAD without \(first.prefix(10))..\(second.prefix(10)) (\(second.prefix(10)) with changes)"
    )
    #expect(reasons[2].contains("there is no revision '0123456789"))
    #expect(reasons[3].contains("no commit since has its content"))
    #expect(reasons[4] == "its runs name no commit")
    #expect(reasons[5] == "" && alone[5]["candidate"] as? String == "other")
    let together = items.filter { $0["kind"] as? String == "together" }
    #expect(together.count == 1)
    #expect(together[0]["decisions"] as? [Int] == [1, 2, 3, 4, 5])
    #expect((together[0]["base"] as? String)?.hasPrefix(String(start.prefix(10))) == true)
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `one decision whose change is all there is since is not measured twice`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    let items = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    #expect(items.map { $0["kind"] as? String } == ["alone"])
    // With another anchor it is another comparison.
    try repository.write("more", "words")
    try repository.commit("More")
    let more = try #require(
      json("--dry-run", "--anchor", "HEAD~2")["comparisons"] as? [[String: Any]])
    #expect(more.map { $0["kind"] as? String } == ["alone", "together"])
  }

  @Test func `the first Ctrl-C ends the planning, and no decision passes for impossible`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    let (variables, began) = try repository.gitThatHangs(at: "rev-parse --verify")
    let stopped = repository.perfkit.run(
      ["decide", "--revisit", "--dry-run"], variables: variables,
      cancellation: Cancellation { FileManager.default.fileExists(atPath: began) })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    #expect(stopped.output.isEmpty, "\(stopped.output)")
  }

  @Test func `what was measured before it was committed is found by its content`() throws {
    try repository.program(decode: 10, layout: 20)
    // One pair is enough to decide on.
    let diff = repository.perfkit(
      "diff", "--scenario", "work", "--no-report", "--no-profile", "--max-time", "1ns")
    #expect(diff.status == .done, "\(diff.errors)")
    #expect(
      repository.perfkit("decide", "latest", "--keep", "--because", "Less work.").status == .done)
    let early = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    #expect((early[0]["reason"] as? String)?.contains("no commit since has its content") == true)
    try repository.git("add", "work.c")
    let start = try head()
    try repository.git("commit", "--quiet", "-m", "Decode less")
    let items = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    let title = "HEAD without \(start.prefix(10))..\(try head().prefix(10))"
    #expect((items[0]["base"] as? String)?.hasPrefix(title) == true, "\(items)")
    #expect(items[0]["time_per_pair"] is NSNull == false)
  }

  @Test func `a change that is gone is said to be`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try repository.git("rm", "--quiet", "words")
    try repository.commit("No words")
    try decide(start, end)
    let items = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    #expect((items[0]["reason"] as? String)?.contains("does not contain it") == true)
    #expect((items[1]["reason"] as? String)?.contains("the content of the anchor") == true)
  }

  /// Writes the program and its scenario so that what decides is counted: how often it asks the heap.
  private func allocate(_ times: Int) throws {
    try repository.write(
      "work.c",
      """
      #include <stdlib.h>
      static void *volatile sink;
      int main(void) {
        for (int i = 0; i < \(times); i++) {
          sink = malloc(16);
          free(sink);
        }
        return 0;
      }
      """)
    let scenario = "\(repository.root)/Scenarios/work.yml"
    let text = try String(contentsOfFile: scenario, encoding: .utf8)
    try repository.write("Scenarios/work.yml", text.replacing("cpu.total", with: "alloc.count"))
  }

  @Test func `a change that helps pays, and one that does nothing no longer does`() throws {
    try allocate(600)
    try repository.commit("Decode slowly")
    let faster = try change("Decode faster") { try allocate(200) }
    let words = try change("Words") { try repository.write("words", "one\n") }
    try decide(faster.0, faster.1)
    try decide(words.0, words.1)
    let before = try repository.git("status", "--porcelain")
    // Counts are the same in every launch, whatever else the machine does.
    let report = try json("--no-profile", "--allocations")
    let results = try #require(report["results"] as? [[String: Any]])
    #expect(
      results.map { $0["standing"] as? String } == ["pays", "no longer pays", "pays"], "\(report)")
    #expect(
      report["sentence"] as? String
        == "Decision 2 no longer pays; decision 1 pays; together 1 and 2 of work: pays.")
    let changes = try results.map { result in
      let comparison = try #require(result["comparison"] as? [String: Any])
      let metrics = try #require(comparison["metrics"] as? [[String: Any]])
      let change = metrics.first { $0["name"] as? String == "alloc.count" }?["estimate"] as? Double
      return change?.rounded()
    }
    #expect(changes == [-400, 0, -400])
    #expect(try repository.git("status", "--porcelain") == before)
    #expect(try repository.git("branch", "--list") == "* main")
    #expect(repository.perfkit("list", "comparisons").output.contains("work"))
  }

  @Test func `a plan counts what was never measured by its timeout, as a gate's does`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    let plan = try json("--dry-run")
    // 41 pairs of 4 + 4 launches of 60 s.
    #expect(plan["worst_case"] as? Double == 41 * 8 * 60e9)
    #expect(plan["worst_case_by_timeout"] as? [String] == ["work"])
    #expect(try json("--dry-run", "--max-time", "1 min")["max_time"] as? Int == 60_000_000_000)
    let said = repository.perfkit("decide", "--revisit", "--dry-run").output
    #expect(said.contains("5.5 h"), "\(said)")
  }

  @Test func `of revisions another folder of scenario files is refused before anything`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    for words in [["--dry-run"], []] {
      let result = repository.perfkit.run(
        ["decide", "--revisit", "--scenarios", "elsewhere"] + words)
      #expect(result.status == .usage, "\(result.output)")
      #expect(result.errors.contains("--scenarios elsewhere says nothing of revisions"))
    }
  }

  @Test(arguments: [
    (["--revisit"], "the ledger keeps no decision yet"),
    (["--revisit", "7"], "keeps no decision 7"),
    (["--revisit", "latest"], "takes the number of a decision"),
    (["--revisit", "--keep"], "--revisit only measures"),
    (["latest", "--because", "x"], "say what is done"),
    (["latest", "--keep"], "--because must say why"),
    (["--keep", "--because", "x"], "name a comparison"),
  ])
  func `what cannot be looked at again is said`(words: [String], message: String) throws {
    _ = try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite")
    let result = repository.perfkit.run(["decide"] + words)
    #expect([.failed, .usage].contains(result.status))
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
