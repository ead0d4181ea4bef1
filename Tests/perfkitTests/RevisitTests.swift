import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Kept decisions that are measured again.
@Suite(.serialized)
struct RevisitTests {
  private let repository: TestRepository

  init() throws { repository = try TestRepository() }

  private func head() throws -> String { try repository.git("rev-parse", "HEAD") }

  /// Adds a decision to the store as if its comparison had been measured.
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

  /// Commits a change, and returns the commits before and after it.
  private func change(_ message: String, _ body: () throws -> Void) throws -> (String, String) {
    let before = try head()
    try body()
    try repository.commit(message)
    return (before, try head())
  }

  private func json(_ words: String...) throws -> [String: Any] {
    try repository.perfkit.run(["decide", "--revisit", "--format", "json"] + words).json()
  }

  @Test func `a decision that cannot be measured again is listed with the reason`() throws {
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
    #expect(reasons[3].contains("no later commit has the same content"))
    #expect(reasons[4] == "its runs have no commit")
    #expect(reasons[5] == "" && alone[5]["candidate"] as? String == "other")
    let together = items.filter { $0["kind"] as? String == "together" }
    #expect(together.count == 1)
    #expect(together[0]["decisions"] as? [Int] == [1, 2, 3, 4, 5])
    #expect((together[0]["base"] as? String)?.hasPrefix(String(start.prefix(10))) == true)
    #expect(!FileManager.default.fileExists(atPath: repository.root + "/.perfkit/builds"))
  }

  @Test func `a single decision without other changes since is measured only once`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    let items = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    #expect(items.map { $0["kind"] as? String } == ["alone"])
    // Another anchor needs another comparison.
    try repository.write("more", "words")
    try repository.commit("More")
    let more = try #require(
      json("--dry-run", "--anchor", "HEAD~2")["comparisons"] as? [[String: Any]])
    #expect(more.map { $0["kind"] as? String } == ["alone", "together"])
  }

  @Test func `the first Ctrl-C stops the planning and prints no plan`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    let (variables, began) = try repository.gitThatHangs(at: "rev-parse --verify")
    let stopped = repository.perfkit.run(
      ["decide", "--revisit", "--dry-run"], variables: variables,
      cancellation: Cancellation { FileManager.default.fileExists(atPath: began) })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    #expect(stopped.output.isEmpty, "\(stopped.output)")
  }

  @Test func `a change that was measured before its commit is found by its content`() throws {
    try repository.program(decode: 10, layout: 20)
    // One pair is enough for a decision.
    let diff = repository.perfkit(
      "diff", "--all", "--scenario", "work", "--no-report", "--no-profile", "--max-time", "1ns")
    #expect(diff.status == .done, "\(diff.errors)")
    #expect(
      repository.perfkit("decide", "latest", "--keep", "--because", "Less work.").status == .done)
    let early = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    #expect(
      (early[0]["reason"] as? String)?.contains("no later commit has the same content") == true)
    try repository.git("add", "work.c")
    let start = try head()
    try repository.git("commit", "--quiet", "-m", "Decode less")
    let items = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    let title = "HEAD without \(start.prefix(10))..\(try head().prefix(10))"
    #expect((items[0]["base"] as? String)?.hasPrefix(title) == true, "\(items)")
    #expect(items[0]["time_per_pair"] is NSNull == false)
  }

  @Test func `a change that was removed since is reported as removed`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try repository.git("rm", "--quiet", "words")
    try repository.commit("No words")
    try decide(start, end)
    let items = try #require(json("--dry-run")["comparisons"] as? [[String: Any]])
    #expect((items[0]["reason"] as? String)?.contains("does not contain it") == true)
    #expect((items[1]["reason"] as? String)?.contains("the same content as the anchor") == true)
  }

  /// Writes a program with some allocations, and a scenario that gates by their exact number.
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

  @Test func `a useful change pays, and a change without effect no longer pays`() throws {
    try allocate(600)
    try repository.commit("Decode slowly")
    let faster = try change("Decode faster") { try allocate(200) }
    let words = try change("Words") { try repository.write("words", "one\n") }
    try decide(faster.0, faster.1)
    try decide(words.0, words.1)
    let before = try repository.git("status", "--porcelain")
    // The counts are the same in every launch, however busy the machine is.
    let report = try json("--no-profile", "--allocations")
    let results = try #require(report["results"] as? [[String: Any]])
    #expect(
      results.map { $0["standing"] as? String } == ["pays", "no longer pays", "pays"], "\(report)")
    #expect(
      report["sentence"] as? String
        == "Decision 2 no longer pays; decision 1 pays; all decisions on work together: pays.")
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

  @Test func `a plan counts scenarios that were never measured with their timeouts`() throws {
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

  @Test func `a folder of scenario files outside of the repository is refused`() throws {
    let (start, end) = try change("Words") { try repository.write("words", "one\n") }
    try decide(start, end)
    for words in [["--dry-run"], []] {
      let result = repository.perfkit.run(
        ["decide", "--revisit", "--scenarios", "../elsewhere"] + words)
      #expect(result.status == .usage, "\(result.output)")
      #expect(result.errors.contains("--scenarios ../elsewhere cannot be used here"))
    }
  }

  @Test(arguments: [
    (["--revisit"], "there is no kept decision to revisit"),
    (["--revisit", "7"], "there is no kept decision 7"),
    (["--revisit", "latest"], "accepts the number of a decision"),
    (["--revisit", "--keep"], "--revisit only measures"),
    (["latest", "--because", "x"], "the decision is missing"),
    (["latest", "--keep"], "the reason is missing"),
    (["--keep", "--because", "x"], "the comparison is missing"),
  ])
  func `a wrong decision or revisit is refused with the reason`(words: [String], message: String)
    throws
  {
    _ = try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite")
    let result = repository.perfkit.run(["decide"] + words)
    #expect([.failed, .usage].contains(result.status))
    #expect(result.errors.contains(message), "\(result.errors)")
  }
}
