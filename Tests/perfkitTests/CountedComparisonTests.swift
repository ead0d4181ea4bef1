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
