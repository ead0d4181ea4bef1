import Foundation
import PerfGate
import PerfModel
import PerfReport
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit compare --across`, on stored comparisons of made-up machines.
struct AcrossTests {
  private let perfkit: TestCommand
  private let store: RunStore

  init() throws {
    perfkit = try TestCommand()
    store = try RunStore(path: perfkit.folder("store.sqlite"))
  }

  /// Saves a comparison of 30 pairs whose candidate takes `factor` times the base's 100 ms, with 1 % of noise.
  private func save(
    _ id: String, host: String, factor: Double, seed: UInt64, commit: String = "b"
  ) throws {
    var random = SampleRandom(seed: seed)
    let definition = try #require(
      MetricCatalog.standardDefinitions.first { $0.name == MetricName.cpuTotal })
    func run(_ side: String, _ commit: String, _ factor: Double) throws -> String {
      let run = Run(
        id: "r\(id)\(side)", scenario: "work", variant: "plain", label: nil,
        started: SampleRuns.firstStart, seed: 1, parameters: [:], command: [],
        environment: Environment(facts: ["host": host, "commit": commit]),
        definitions: [definition],
        launches: (0..<30).map { index in
          Launch(
            index: index, isWarmup: false, status: .completed, offset: UInt64(index),
            metrics: [definition.name: random.around(1e8 * factor, spread: 1e6)])
        }, budgets: [], profile: nil, warnings: [], wasInterrupted: false)
      try store.save(run)
      return run.id
    }
    let leg = StoredComparison.Leg(
      base: try run("a", "a", 1), candidate: try run("b", commit, factor))
    try store.save(
      StoredComparison(
        id: id, subject: "a against b", started: SampleRuns.firstStart,
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 200,
          policy: Scenario.GatePolicy(metrics: [definition.name: nil]), launchesPerPair: 1)))
    try store.append(leg, toComparison: id)
  }

  private func across(_ words: String...) -> TestCommand.Result {
    perfkit.run(["compare", "--across", "--store", store.path] + words)
  }

  @Test func `machines that agree give one verdict`()
    throws
  {
    for (number, host) in ["rack-1", "rack-2", "laptop"].enumerated() {
      try save("c\(number)", host: host, factor: 1.05, seed: UInt64(number))
    }
    let result = across("c0", "c1", "c2", "--exit-code")
    #expect(result.status == .gateFailed, "\(result.errors)")
    #expect(result.prints("Regressed on 3 machines: cpu.total +5"))
    // The bars reach twice the scale, so that all intervals fit.
    #expect(!result.output.contains("▶"))
    for host in ["rack-1", "rack-2", "laptop", "all machines"] {
      #expect(result.output.contains(host))
    }
    let json = try across("c0", "c1", "c2", "--format", "json").json()
    let metric = try #require((json["metrics"] as? [[String: Any]])?.first)
    let change = try #require(metric["change"] as? Double)
    // The mean of 90 differences of about 0.6 % is within 0.3 % of the true change.
    #expect(abs(change - 0.05) < 0.003)
    let weights = (metric["machines"] as? [[String: Any]])?.compactMap { $0["weight"] as? Double }
    #expect(abs((weights ?? []).reduce(0, +) - 1) < 1e-9)
    let value = try #require(
      JSONValue(parsing: across("c0", "c1", "c2", "--format", "json").output.utf8))
    #expect(try JSONSchema("across", in: JSONSchema.published()).mismatches(of: value).isEmpty)
  }

  @Test func `machines that contradict each other are inconclusive and reported`() throws {
    for (number, factor) in [0.9, 1.1, 1.0].enumerated() {
      try save("c\(number)", host: "host-\(number)", factor: factor, seed: UInt64(number))
    }
    let result = across("c0", "c1", "c2", "--exit-code")
    #expect(result.status == .inconclusive)
    #expect(result.prints("the machines differ in cpu.total by more than their errors explain"))
  }

  @Test func `a forest plot has a row for each machine`() throws {
    try save("c0", host: "rack-1", factor: 1, seed: 1)
    try save("c1", host: "laptop", factor: 1, seed: 2)
    let file = perfkit.folder("forest.svg")
    #expect(across("c0", "c1", "-o", file).status == .done)
    let svg = try String(contentsOfFile: file, encoding: .utf8)
    for text in ["rack-1", "laptop", "all machines"] { #expect(svg.contains(text)) }
  }

  @Test func `comparisons that do not belong together are refused with the difference`() throws {
    try save("c0", host: "rack-1", factor: 1, seed: 1)
    try save("c1", host: "rack-1", factor: 1, seed: 2)
    try save("c2", host: "laptop", factor: 1, seed: 3, commit: "other")
    let same = across("c0", "c1")
    #expect(same.status == .failed)
    #expect(same.says("comparisons c0 and c1 are of the same machine (rack-1)"))
    let other = across("c0", "c2")
    #expect(other.status == .failed)
    #expect(other.says("the candidate's revision of c0 is 'b', that of c2 is 'other'"))
    #expect(across("c0").says("at least two machines"))
    #expect(across("c0", "c0").says("comparison c0 is named twice"))
    #expect(across("c0", "c9").says("c9"))
    #expect(perfkit("compare", "a", "b", "c").says("'c' is a third run"))
  }
}
