import Foundation
import PerfGate
import PerfModel
import PerfReport
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// Gates that several machines measure in parts.
struct GateShardVerbTests {
  /// Commands with a budget that they keep.
  private func project(_ names: [String] = ["a", "b", "c"]) throws -> TestCommand {
    let perfkit = try TestCommand()
    for name in names { try scenario(name, in: perfkit) }
    return perfkit
  }

  private func scenario(
    _ name: String, limit: String = "100 s", in perfkit: TestCommand
  ) throws {
    try perfkit.scenario(
      name,
      """
      scenario: \(name)
      summary: A command.
      command: [/bin/true]
      variants: { plain: {} }
      default_variant: plain
      iterations: 2
      warmup: 0
      budgets: [max(wall) <= \(limit)]
      """)
  }

  private let shards = ["--budgets-only", "--no-profile", "--shard"]

  private func json(_ path: String, in perfkit: TestCommand) throws -> JSONValue {
    let data = try Data(contentsOf: URL(fileURLWithPath: perfkit.folder(path)))
    return try #require(JSONValue(parsing: data))
  }

  @Test func `the shards of a gate join into one verdict, comment and JUnit file`() throws {
    let perfkit = try project()
    for number in 1...2 {
      let part = perfkit.run(["gate"] + shards + ["\(number)/2"])
      #expect(part.status == .done, "\(part.errors)")
      #expect(part.prints("Shard \(number) of 2: \(number == 1 ? "a and c" : "b")."))
      try expect(
        json(".perfkit/gate-shard-\(number)-of-2.json", in: perfkit), matches: "gate-shard")
    }
    let joined = perfkit(
      "gate", "--collect", ".perfkit", "--comment", "comment.md", "--junit", "junit.xml")
    #expect(joined.status == .done, "\(joined.errors)")
    #expect(joined.prints("The gate passed: no budget is broken and nothing regressed."))
    let verdict = try json(".perfkit/verdict.json", in: perfkit)
    try expect(verdict, matches: "verdict")
    let subjects = verdict["results"]?.elements.compactMap { $0["subject"]?.text }
    #expect(subjects == ["a:plain", "c:plain", "b:plain"])
    let comment = try String(contentsOfFile: perfkit.folder("comment.md"), encoding: .utf8)
    #expect(comment.hasPrefix("\(GateDigest.marker)\n### ✅ The gate passed"))
    let cases = try String(contentsOfFile: perfkit.folder("junit.xml"), encoding: .utf8)
    // A verdict and a budget of each scenario.
    #expect(cases.contains(#"tests="6" failures="0" errors="0" skipped="0""#), "\(cases)")
  }

  @Test func `a broken budget of a shard fails the joined gate`() throws {
    let perfkit = try project()
    try scenario("b", limit: "1 ns", in: perfkit)
    #expect(perfkit.run(["gate"] + shards + ["1/2"]).status == .done)
    #expect(perfkit.run(["gate"] + shards + ["2/2"]).status == .gateFailed)
    let joined = perfkit("gate", "--collect", ".perfkit")
    #expect(joined.status == .gateFailed)
    #expect(joined.prints("The gate failed: b:plain (failed)."), "\(joined.output)")
  }

  @Test(arguments: ["pass", "warn", "fail"])
  func `a gate with a missing shard never passes`(inconclusive: String) throws {
    let perfkit = try project()
    #expect(perfkit.run(["gate"] + shards + ["2/3"]).status == .done)
    let joined = perfkit("gate", "--collect", ".perfkit", "--inconclusive", inconclusive)
    #expect(joined.status == .inconclusive)
    #expect(joined.prints("shard 1 of 3 (missing), shard 3 of 3 (missing)"), "\(joined.output)")
    #expect(try json(".perfkit/verdict.json", in: perfkit)["status"] == .int(3))
  }

  @Test func `a shard without a scenario passes`() throws {
    let perfkit = try project(["a"])
    for number in 1...2 {
      #expect(perfkit.run(["gate"] + shards + ["\(number)/2"]).status == .done)
    }
    #expect(perfkit("gate", "--collect", ".perfkit").status == .done)
  }

  @Test func `a shard that fails replaces its earlier results`() throws {
    let perfkit = try project(["a"])
    #expect(perfkit.run(["gate"] + shards + ["1/1"]).status == .done)
    let wrong = perfkit.run(["gate"] + shards + ["1/1", "--rate", "0"])
    #expect(wrong.status == .usage)
    let joined = perfkit("gate", "--collect", ".perfkit")
    // The command line of the collection is right.
    #expect(joined.status == .failed)
    #expect(joined.prints("gate, shard 1 of 1"), "\(joined.output)")
    #expect(joined.prints("--rate"), "\(joined.output)")
  }

  @Test func `shards with different options are refused, and the verdict says so`() throws {
    let perfkit = try project()
    _ = perfkit.run(["gate"] + shards + ["1/2"])
    _ = perfkit.run(["gate"] + shards + ["2/2", "--quick"])
    let joined = perfkit("gate", "--collect", ".perfkit", "--comment", "comment.md")
    #expect(joined.status == .failed)
    #expect(joined.says("--quick is 'false' in the first and 'true' in the second"))
    #expect(joined.says("gate-shard-1-of-2.json"))
    let comment = try String(contentsOfFile: perfkit.folder("comment.md"), encoding: .utf8)
    #expect(comment.contains("The gate could not be judged."))
  }

  @Test(arguments: [
    ["--shard", "0/2"], ["--shard", "3/2"], ["--shard", "2"], ["--shard", "1/1001"],
    ["--shard", "1/2", "--package-benchmark"], ["--collect", "x", "--shard", "1/2"],
    ["--collect", "x", "a"], ["--collect", "x", "--against", "main"],
    ["--collect", "x", "--dry-run"], ["--collect", "x", "--budgets-only"],
    ["--collect", "x", "--package-benchmark"], ["--collect", "x", "--variant", "plain"],
  ])
  func `a shard that does not exist, and a collection that would measure, are wrong usage`(
    words: [String]
  ) throws {
    let result = try project().run(["gate"] + words)
    #expect(result.status == .usage, "\(result.output)")
  }

  @Test func `an empty and a missing folder are errors with their names`() throws {
    let perfkit = try project()
    #expect(perfkit("gate", "--collect", "Scenarios").says("of a shard in 'Scenarios'"))
    #expect(perfkit("gate", "--collect", "nowhere").says("cannot read the folder 'nowhere'"))
  }

  /// By hand, as in the split of durations 3, 7, 4 and 5: {7, 3} and {5, 4}.
  @Test func `the baselines of the repository split the scenarios by their duration`() throws {
    let perfkit = try project(["a", "b", "c", "d"])
    func plan(_ shard: String) throws -> [String]? {
      let result = perfkit(
        "gate", "--budgets-only", "--dry-run", "--shard", shard, "--format", "json")
      #expect(result.status == .done, "\(result.errors)")
      let plan = try result.json()
      #expect(plan["shard"] as? String == shard)
      return plan["scenarios"] as? [String]
    }
    #expect(try plan("1/2") == ["a", "c"])
    #expect(try plan("2/2") == ["b", "d"])
    let store = try RunStore(path: perfkit.folder("other.sqlite"))
    for (name, seconds) in [("a", 3), ("b", 7), ("c", 4), ("d", 5)] as [(String, UInt64)] {
      try store.save(run(name, seconds: seconds))
    }
    try store.saveBaseline("main", runs: ["ra", "rb", "rc", "rd"], saved: SampleRuns.firstStart)
    try FileManager.default.createDirectory(
      atPath: perfkit.folder("Reports/baselines"), withIntermediateDirectories: true)
    try store.baselineFile(of: "main").text().write(
      toFile: perfkit.folder("Reports/baselines/main.json"), atomically: true, encoding: .utf8)
    #expect(try plan("1/2") == ["a", "b"])
    #expect(try plan("2/2") == ["c", "d"])
    // A file that is no baseline changes nothing, and is named.
    try "{}".write(
      toFile: perfkit.folder("Reports/baselines/other.json"), atomically: true, encoding: .utf8)
    #expect(try plan("1/2") == ["a", "b"])
    #expect(
      perfkit("gate", "--budgets-only", "--dry-run", "--shard", "1/2")
        .says("the durations of 'Reports/baselines/other.json' are not used"))
  }

  /// Returns a run of which each launch takes the given time.
  private func run(_ scenario: String, seconds: UInt64) -> Run {
    Run(
      id: "r\(scenario)", scenario: scenario, variant: "plain", label: nil,
      started: SampleRuns.firstStart, seed: 1, parameters: [:], command: [],
      environment: SampleRuns.environment(), definitions: MetricCatalog.standardDefinitions,
      launches: (0..<3).map { index in
        Launch(
          index: index, isWarmup: false, status: .completed,
          offset: UInt64(index) * seconds * 1_000_000_000,
          metrics: [MetricName.wall: Double(seconds) * 1e9])
      }, budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }
}

/// The shards of gates against another revision.
@Suite(.serialized)
struct RevisionShardTests {
  private let gate = ["gate", "--against", "HEAD~1", "--no-profile", "--shard"]

  @Test func `shards of one change join, and a shard of another change is refused`() throws {
    let repository = try TestRepository()
    try repository.scenario("other", budget: "wall <= 60 s")
    try repository.commit("Other")
    try repository.write("notes", "one\n")
    try repository.commit("Notes")
    for number in 1...2 {
      let part = repository.perfkit.run(gate + ["\(number)/2"])
      #expect(part.status == .done, "\(part.output)\(part.errors)")
    }
    let joined = repository.perfkit("gate", "--collect", ".perfkit")
    #expect(joined.status == .done, "\(joined.output)\(joined.errors)")
    try repository.write("notes", "two\n")
    _ = repository.perfkit.run(gate + ["2/2"])
    let mixed = repository.perfkit("gate", "--collect", ".perfkit")
    #expect(mixed.status == .failed)
    #expect(mixed.says("are of different gates: the work tree is"), "\(mixed.errors)")
  }

  @Test func `a removed scenario fails one shard and the joined gate once`() throws {
    let repository = try TestRepository()
    for name in ["other", "removed"] { try repository.scenario(name, budget: "wall <= 60 s") }
    try repository.commit("More scenarios")
    try FileManager.default.removeItem(atPath: repository.root + "/Scenarios/removed.yml")
    try repository.commit("Fewer scenarios")
    let statuses = (1...2).map { repository.perfkit.run(gate + ["\($0)/2"]).status }
    #expect(statuses == [.gateFailed, .done])
    let joined = repository.perfkit("gate", "--collect", ".perfkit", "--format", "json")
    #expect(joined.status == .gateFailed)
    let results = try #require(try joined.json()["results"] as? [[String: Any]])
    let subjects = results.compactMap { $0["subject"] as? String }
    #expect(subjects == ["removed", "other:default", "work:default"])
  }

  /// With an error of 0.02 / 20 for each of 20 metrics, 11 pairs permit no verdict; they suffice for one.
  @Test func `the metrics of all shards share the error of the gate`() throws {
    let repository = try TestRepository()
    for index in 1..<20 { try repository.scenario("s\(index)", budget: "wall <= 60 s") }
    try repository.commit("Many scenarios")
    try repository.program(decode: 21, layout: 20)
    let result = repository.perfkit.run(
      ["gate", "--against", "HEAD", "--no-profile", "--max-pairs", "11", "--shard", "3/20"])
    #expect(result.status == .usage, "\(result.output)\(result.errors)")
    #expect(result.prints("--max-pairs 11 is too small: with 20 gating metrics"))
  }
}
