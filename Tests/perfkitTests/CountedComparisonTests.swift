import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Comparisons, gates and searches that count instructions under valgrind.
@Suite(.serialized, .enabled(if: TestCommand.hasTool("valgrind"), "valgrind is not installed"))
struct CountedComparisonTests {
  /// `sort` has 5 % of the steps: 20 % more of it are about 1 % more work.
  private func worker() throws -> TestCommand {
    let command = try TestCommand()
    try command.scenario(
      "work",
      """
      scenario: work
      summary: A worker.
      workload: bench.functions
      worker: BenchWorkloads
      parameters: { slices: 4 }
      variants: { plain: {}, same: { slower: 0 }, slower: { slower: 20 } }
      default_variant: plain
      gate: { count: true, metrics: { wall: {}, cpu.total: {} } }
      """)
    return command
  }

  @Test func `more work is found and its function is named after one pair`() throws {
    let perfkit = try worker()
    let result = perfkit(
      "diff", "--all", "--scenario", "work", "--variant", "plain", "--variant", "slower",
      "--max-time",
      "1ns", "--exit-code", "--no-report", "--format", "json")
    #expect(result.status == .gateFailed, "\(result.errors)")
    let comparison = try result.json()
    #expect(comparison["verdict"] as? String == "inconclusive")
    #expect(comparison["combined"] as? String == "regressed")
    let work = try #require(comparison["work"] as? [String: Any])
    #expect(work["verdict"] as? String == "regressed")
    let metric = try #require((work["metrics"] as? [[String: Any]])?.first)
    let estimate = try #require(metric["estimate"] as? Double)
    let function = try #require((work["functions"] as? [[String: Any]])?.first)
    #expect((function["name"] as? String)?.contains("sort") == true)
    // The instructions of a step, and so the share of sort, depend on the compiler.
    let before = try #require(function["base"] as? Double)
    let difference = try #require(function["difference"] as? Double)
    #expect(abs(difference / before - 0.2) < 0.001)
    let total = try #require(metric["base"] as? Double)
    #expect(abs(estimate - difference / total) < 1e-5)
    let sentence = try #require(comparison["sentence"] as? String)
    #expect(sentence.contains("more work (") && sentence.contains("time undecided"))
    // The stored comparison gives the same verdict.
    let id = try #require(comparison["id"] as? String)
    let again = perfkit("compare", id, "--exit-code", "--format", "json")
    #expect(again.status == .gateFailed)
    #expect(try again.json()["sentence"] as? String == sentence)
  }

  @Test func `equal work does not settle the time of a single pair`() throws {
    let perfkit = try worker()
    let result = perfkit(
      "diff", "--all", "--scenario", "work", "--variant", "plain", "--variant", "same",
      "--cache-sim", "--max-time", "1ns",
      "--exit-code", "--no-report")
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    #expect(result.output.contains("same work"))
    // The option implies --count, and its metrics are shown without gating.
    #expect(result.output.contains("work.data_misses"), "\(result.output)")
  }

  @Test func `without valgrind time decides, and the package is named`() throws {
    let perfkit = try worker()
    let result = perfkit.run(
      [
        "diff", "--all", "--scenario", "work", "--variant", "plain", "--variant", "same",
        "--max-time",
        "1ns", "--exit-code", "--no-report",
      ], variables: ["PATH": "/nowhere"])
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("Install the Debian package 'valgrind'"), "\(result.errors)")
    #expect(result.output.contains("the work was not counted"), "\(result.output)")
  }

  /// Returns the verdict of the only budget of the last gate.
  private func budget(of repository: TestRepository) throws -> String? {
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    let run = try #require(results.first?["run"] as? [String: Any])
    let budgets = try #require(run["budgets"] as? [[String: Any]])
    return budgets.first?["verdict"] as? String
  }

  @Test func `a gate judges a budget of work by counted launches, and says if there are none`()
    throws
  {
    let repository = try TestRepository()
    // The program has 40 million steps of a few instructions.
    try repository.scenario("work", budget: "work.instructions <= 1e12 count")
    try repository.commit("Budget")
    try repository.build()
    let alone = ["gate", "--all", "--budgets-only", "--no-profile"]
    #expect(repository.perfkit.run(alone + ["--count"]).status == .done)
    #expect(try budget(of: repository) == "held")
    let uncounted = repository.perfkit.run(alone)
    #expect(uncounted.status == .inconclusive)
    #expect(uncounted.output.contains("--count counts it"), "\(uncounted.output)")

    // The program is the same on both sides.
    try repository.write("README", "words")
    #expect(repository.perfkit("gate", "--all", "--count", "--no-profile").status == .done)
    #expect(try budget(of: repository) == "held")

    // The time of one pair is undecided, and more work is found.
    try repository.program(decode: 22, layout: 20)
    let paired = ["gate", "--all", "--count", "--no-profile", "--max-time", "1ns"]
    #expect(repository.perfkit.run(paired).status == .gateFailed)
    #expect(try budget(of: repository) == "held")
    try repository.scenario("work", budget: "work.instructions <= 1 count")
    #expect(repository.perfkit.run(paired).status == .gateFailed)
    #expect(try budget(of: repository) == "broken")

    _ = repository.perfkit("run", "--all", "work", "--no-report", "--iterations", "1")
    _ = repository.perfkit("baseline", "save", "first", "latest")
    let stored = repository.perfkit("gate", "--all", "--count", "--against", "first")
    #expect(stored.status == .usage)
    #expect(stored.errors.contains("has no counted launches"), "\(stored.errors)")
  }

  @Test func `the commit that does more work is found without a pair`() throws {
    let repository = try TestRepository()
    let good = try repository.git("rev-parse", "HEAD")
    try repository.write("README", "words")
    try repository.commit("Words")
    try repository.program(decode: 21, layout: 20)
    try repository.commit("Decode more")
    try repository.write("README", "more words")
    try repository.commit("More words")
    let result = repository.perfkit(
      "bisect", good, "HEAD", "--scenario", "work", "--metric", "work.instructions")
    #expect(result.status == .done, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Decode more"))
    #expect(!result.errors.contains("(comparison"))
  }
}
