import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Runs that count instructions under valgrind.
struct CountVerbTests {
  private func worker(slower: Int = 0) throws -> TestCommand {
    let command = try TestCommand()
    try command.scenario(
      "work",
      """
      scenario: work
      summary: A worker.
      workload: bench.functions
      worker: BenchWorkloads
      parameters: { slices: 4, slower: \(slower) }
      variants: { plain: {} }
      default_variant: plain
      budgets: [wall <= 1 ns, work.instructions <= 1e9 count]
      """)
    return command
  }

  /// Returns the instructions of a function of `bench.functions` in each launch.
  private func instructions(_ name: String, of run: [String: Any]) throws -> [Double] {
    let work = try #require(run["work"] as? [String: Any])
    let functions = try #require(work["functions"] as? [[String: Any]])
    let function = try #require(
      functions.first { ($0["name"] as? String)?.hasSuffix(".\(name)(_:)") == true })
    return try #require(function["instructions"] as? [Double])
  }

  /// Twice the slices are twice the instructions of each function, and those of the worker's start
  /// are not in the measured phase.
  @Test(.enabled(if: TestCommand.hasTool("valgrind"), "valgrind is not installed"))
  func `a worker is counted in its measured phase, function by function`() throws {
    let perfkit = try worker()
    let result = perfkit("run", "--all", "work", "--count", "--no-report", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    for words in [
      ["annotate", "latest", "decode"], ["flamegraph", "latest", "--output", "-"],
      ["export", "latest", "--to", "pprof", "--output", "-"],
    ] {
      let refused = perfkit.run(words)
      #expect(refused.status == .failed && refused.says("it was measured with --count"))
    }
    let run = try result.json()
    let launches = try #require(run["iterations"] as? [[String: Any]])
    #expect(launches.count == 2)
    let metrics = try launches.map { try #require($0["metrics"] as? [String: Double]) }
    #expect(metrics.allSatisfy { $0.keys.sorted() == ["work.calls", "work.instructions"] })
    let decode = try instructions("decode", of: run)
    let sort = try instructions("sort", of: run)
    #expect(decode[0] == decode[1] && sort[0] == sort[1])
    let total = try #require(metrics[0]["work.instructions"])
    let twice = try perfkit(
      "run", "--all", "work", "--count", "--branch-sim", "--set", "slices=8", "--no-report",
      "--format", "json"
    ).json()
    for (name, once) in [("decode", decode), ("sort", sort)] {
      #expect(abs(try instructions(name, of: twice)[0] / once[0] - 2) < 0.001)
    }
    let launch = try #require((twice["iterations"] as? [[String: Any]])?.first)
    let values = try #require(launch["metrics"] as? [String: Double])
    let both = try #require(values["work.instructions"])
    #expect(abs(both / total - 2) < 0.001)
    // The misses of the branch predictor are a part of the estimated cycles, which need the caches.
    #expect(try #require(values["work.estimated_cycles"]) > both)
    // The budget of a time does not apply.
    let budgets = try #require(run["budgets"] as? [[String: Any]])
    #expect(budgets.map { $0["metric"] as? String } == ["work.instructions"])
    #expect(run["verdict"] as? String == "held")
    let shown = perfkit("show", "latest").output
    #expect(shown.contains("Functions with the most work"))
    #expect(shown.contains("The launches differ by"))
  }

  @Test func `without valgrind nothing is measured, and the package is named`() throws {
    let perfkit = try worker()
    let result = perfkit.run(
      ["run", "--all", "work", "--count", "--no-report"], variables: ["PATH": "/nowhere"])
    #expect(result.status == .failed)
    #expect(result.errors.contains("Install the Debian package 'valgrind'"))
    #expect(perfkit("show", "latest").errors.contains("there are no runs yet"))
  }
}
