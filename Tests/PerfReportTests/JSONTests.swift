import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct JSONTests {
  private static func keys(_ json: JSONValue) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(json.text().utf8)) as? [String: Any])
  }

  /// The keys are a contract with scripts.
  @Test func `the JSON of a run has the keys that scripts rely on`() throws {
    let run = try Self.keys(SampleDocuments.run().json)
    let expected: Set = [
      "schema", "id", "scenario", "variant", "label", "commit", "dirty", "started", "environment",
      "iterations", "metrics", "budgets", "profile", "verdict",
    ]
    #expect(expected.isSubset(of: run.keys))
    let metric = try #require((run["metrics"] as? [[String: Any]])?.first)
    #expect(
      Set(metric.keys) == [
        "name", "unit", "direction", "n", "median", "median_low", "median_high", "values",
      ])
    let budget = try #require((run["budgets"] as? [[String: Any]])?.first)
    #expect(
      Set(["metric", "statistic", "limit", "unit", "value", "verdict"]).isSubset(of: budget.keys))
    let profile = try #require(run["profile"] as? [String: Any])
    let audit: Set = [
      "samples", "dropped", "rate_asked", "rate_reached", "complete", "truncated", "failed",
      "handler_p50_ns", "handler_p99_ns", "signal_cost_ns", "overhead_percent",
    ]
    #expect(audit.isSubset(of: profile.keys))
  }

  @Test func `the JSON of a comparison has the keys that scripts rely on`() throws {
    let comparison = try Self.keys(SampleComparisons.naiveAgainstOptimised().json)
    let expected: Set = [
      "schema", "id", "base", "candidate", "pairs", "launches_per_pair", "alpha", "seed",
      "metrics", "functions", "environment_differences", "warnings", "verdict",
    ]
    #expect(expected.isSubset(of: comparison.keys))
    let metric = try #require((comparison["metrics"] as? [[String: Any]])?.first)
    let metricKeys: Set = [
      "name", "unit", "scale", "base", "candidate", "ratio", "estimate", "low", "high", "p", "n",
      "margin", "gating", "decided_at", "verdict",
    ]
    #expect(metricKeys.isSubset(of: metric.keys))
    let function = try #require((comparison["functions"] as? [[String: Any]])?.first)
    #expect(
      Set(function.keys) == [
        "name", "kind", "unit", "base", "candidate", "difference", "low", "high", "q",
        "significant", "touched",
      ])
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is null in JSON`(value: Double) {
    #expect(JSONValue.array([.number(value)]).text(isIndented: false) == "[null]")
  }

  @Test func `integers have no decimal point and the largest seed keeps its digits in JSON`() {
    let value = JSONValue.array([.number(150_000_000), .unsigned(.max), .number(0.5)])
    #expect(value.text(isIndented: false) == "[150000000,18446744073709551615,0.5]")
  }

  @Test func `the status of a launch describes its end in JSON`() throws {
    let document = SampleDocuments.run(
      launches: 3, samples: 0, statuses: [1: .crashed(signal: 11), 2: .failed("no book")])
    let run = try Self.keys(document.json)
    let iterations = try #require(run["iterations"] as? [[String: Any]])
    #expect(
      iterations.map { $0["status"] as? String } == ["completed", "crashed", "failed", "completed"])
    #expect(iterations[1]["signal"] as? String == "SIGSEGV")
    #expect(iterations[2]["message"] as? String == "no book")
  }
}
