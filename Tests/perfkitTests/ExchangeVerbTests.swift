import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// The exchange of baselines and runs between stores.
struct ExchangeVerbTests {
  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try perfkit.scenario(
      "nothing",
      """
      scenario: nothing
      summary: Nothing.
      command: [/bin/true]
      iterations: 2
      warmup: 0
      gate: { metrics: { wall: { margin: 1 s } } }
      """)
    for _ in 0..<5 { _ = perfkit("run", "--all", "nothing", "--no-report", "--no-profile") }
    _ = perfkit(
      "baseline", "save", "main", "latest", "latest~1", "latest~2", "latest~3", "latest~4")
  }

  @Test func `a gate uses a baseline that was imported into another store`() throws {
    #expect(perfkit("baseline", "export", "main", "-o", "main.json").status == .done)
    let other = ["--store", "other.sqlite"]
    let came = perfkit.run(["baseline", "import", "main.json"] + other)
    #expect(came.status == .done, "\(came.errors)")
    let listed = perfkit.run(["baseline", "list", "--format", "csv"] + other).output
    #expect(listed.split(separator: "\n").count == 6)
    #expect(listed == perfkit("list", "baselines", "--format", "csv").output)
    let gate = perfkit.run(
      ["gate", "--all", "nothing", "--against", "main", "--no-profile", "--inconclusive", "warn"]
        + other)
    #expect(gate.status == .done, "\(gate.output)\(gate.errors)")
  }

  @Test func `an export of a baseline reports that it has the latest run alone`() {
    let result = perfkit("store", "export", "runs.sqlite", "main")
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.says("exported 1 run"), "\(result.errors)")
    #expect(
      result.says("exported only the latest run of baseline 'main', which has 5 runs"),
      "\(result.errors)")
    let one = perfkit("store", "export", "run.sqlite", "latest")
    #expect(!one.says("baseline"), "\(one.errors)")
  }

  @Test func `a gate with failed launches does not pass by the completed ones`() throws {
    // The first launch makes the folder, so that the second fails. The command has no arguments, like the baseline's.
    let script = perfkit.folder("once")
    try "#!/bin/sh\nexec mkdir '\(perfkit.folder("made"))'\n"
      .write(toFile: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    try perfkit.scenario(
      "nothing",
      """
      scenario: nothing
      summary: Nothing.
      command: ["\(script)"]
      iterations: 2
      warmup: 0
      gate: { metrics: { wall: { margin: 1 s } } }
      """)
    let gate = perfkit(
      "gate", "--all", "nothing", "--against", "main", "--no-profile",
      "--allow-different-environments",
      "--format", "json")
    #expect(gate.status == .inconclusive, "\(gate.output)\(gate.errors)")
    let verdict = try gate.json()
    let result = try #require((verdict["results"] as? [[String: Any]])?.first)
    #expect((result["note"] as? String)?.contains("1 of 2 launches did not complete") == true)
    let comparison = try #require(result["comparison"] as? [String: Any])
    #expect(comparison["verdict"] as? String == "inconclusive")
    #expect((comparison["sentence"] as? String)?.contains("failed launches lack wall") == true)
  }

  @Test func `a baseline of another machine makes a gate void`() throws {
    let other = try RunStore(path: perfkit.folder("other.sqlite"))
    let source = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"), access: .reading)
    for header in try source.headers() {
      try other.save(try source.run(id: header.id, including: []).onAnotherMachine)
    }
    let ids = try other.headers().map(\.id)
    try other.saveBaseline("theirs", runs: ids, saved: Timestamp(milliseconds: 0))
    let theirs = ["--store", "other.sqlite"]
    #expect(
      perfkit.run(["baseline", "export", "theirs", "-o", "theirs.json"] + theirs).status == .done)
    #expect(perfkit("baseline", "import", "theirs.json").status == .done)

    let gate = perfkit("gate", "--all", "nothing", "--against", "theirs", "--no-profile")
    #expect(gate.status == .void, "\(gate.output)\(gate.errors)")
    #expect(gate.output.contains("cpu.model"))
    #expect(gate.output.contains("5 of 5 sessions of the baseline were measured in another"))
    let allowed = perfkit(
      "gate", "--all", "nothing", "--against", "theirs", "--no-profile",
      "--allow-different-environments", "--inconclusive", "warn", "--github")
    #expect(allowed.status == .done, "\(allowed.output)\(allowed.errors)")
    #expect(allowed.output.contains("the environments differ in cpu.model"))
    #expect(
      allowed.errors.contains("permits%3A cpu.model")
        || allowed.errors.contains("cpu.model is 'Another CPU'"))
    let compare = perfkit("compare", "--all", "baseline:theirs", "nothing:default", "--exit-code")
    #expect(compare.status == .void, "\(compare.output)\(compare.errors)")
    #expect(compare.output.contains("Another CPU"))
  }

  @Test func `all scenarios of a gate against a baseline share its error rate`() throws {
    try perfkit.scenario(
      "other",
      """
      scenario: other
      summary: Nothing as well.
      command: [/bin/true]
      iterations: 2
      warmup: 0
      gate: { metrics: { wall: { margin: 1 s } } }
      """)
    _ = perfkit("run", "--all", "other", "--no-report", "--no-profile")
    _ = perfkit(
      "baseline", "save", "both", "latest", "latest~1", "latest~2", "latest~3", "latest~4",
      "latest~5")
    // The width of the interval depends on the spread of the sessions and the error rate only.
    let width = { (names: [String]) throws -> Double in
      let result = perfkit.run(
        ["gate"] + names + ["--against", "both", "--no-profile", "--format", "json"])
      let verdict = try result.json()
      let results = try #require(verdict["results"] as? [[String: Any]])
      let comparison = try #require(results.first?["comparison"] as? [String: Any])
      let metric = try #require((comparison["metrics"] as? [[String: Any]])?.first)
      #expect(metric["name"] as? String == "wall" && metric["scale"] as? String == "difference")
      return try #require(metric["high"] as? Double) - #require(metric["low"] as? Double)
    }
    // Student's t with four degrees of freedom at 2 % and at 1 %, from any table.
    let ratio = try width(["nothing", "other"]) / width(["nothing"])
    #expect(abs(ratio - 4.6041 / 3.7469) < 0.001)
  }

  @Test func `a failed import reports the reason and makes no store`() throws {
    try "{}".write(toFile: perfkit.folder("bad.json"), atomically: true, encoding: .utf8)
    for words in [
      ["baseline", "import", "bad.json"], ["baseline", "import", "none.json"],
      ["baseline", "import", "Scenarios"], ["store", "import", "bad.json"],
      ["store", "import", "none.sqlite"], ["store", "import", "Scenarios"],
    ] {
      let result = perfkit.run(words + ["--store", "new.sqlite"])
      #expect(result.status == .failed)
      #expect(result.errors.contains("cannot "), "\(result.errors)")
    }
    let removed = perfkit("baseline", "remove", "main", "--store", "new.sqlite")
    #expect(removed.status == .failed)
    #expect(removed.errors.contains("there are no runs yet"), "\(removed.errors)")
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("new.sqlite")))
    #expect(perfkit("baseline", "export", "mian").errors.contains("did you mean 'main'?"))
    #expect(perfkit("baseline", "import", "bad.json").errors.contains("is not a file of"))
  }

  @Test func `exported runs can be imported into another store`() throws {
    let sent = perfkit("store", "export", "some.sqlite", "latest", "latest~1")
    #expect(sent.errors.contains("2 runs, 0 comparisons and 0 decisions"), "\(sent.errors)")
    let other = ["--store", "other.sqlite"]
    #expect(perfkit.run(["store", "import", "some.sqlite"] + other).errors.contains("2 runs"))
    let again = perfkit.run(["store", "import", "some.sqlite"] + other)
    #expect(
      again.errors.contains(
        "imported 0 runs, 0 comparisons and 0 decisions; 2 were already in the store"))
    #expect(perfkit("store", "export", "one.sqlite", "latest").status == .done)
    let one = perfkit.run(["store", "import", "one.sqlite"] + other)
    #expect(one.errors.contains("; 1 was already in the store"), "\(one.errors)")
    #expect(
      perfkit.run(["show", "latest", "--format", "json"] + other).output
        == perfkit("show", "latest", "--format", "json").output)
    #expect(perfkit("store", "export", "some.sqlite").status == .failed)
    #expect(perfkit("store", "export", "x.sqlite", "unknown").status == .failed)
  }

  @Test func `the export of a comparison whose runs were pruned is refused`() throws {
    let store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    try store.save(
      StoredComparison(
        id: "c1m7zm678x1", subject: "s", started: Timestamp(milliseconds: 0),
        design: ComparisonDesign(
          seed: 1, gatingCount: 1, maxPairs: 40, policy: Scenario.GatePolicy(),
          launchesPerPair: 4)))
    let sent = perfkit("store", "export", "none.sqlite", "c1m7zm678x1")
    #expect(sent.status == .failed)
    #expect(sent.errors.contains("its runs were removed from the store"), "\(sent.errors)")
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("none.sqlite")))
    #expect(perfkit("compare", "c1m7zm678x1").says("has no runs: they were removed"))
    #expect(perfkit("list", "comparisons").prints("no runs"))
  }
}

extension Run {
  /// The run with another id and the environment of another machine.
  fileprivate var onAnotherMachine: Run {
    var environment = environment
    environment[.cpuModel] = "Another CPU"
    environment[.host] = "elsewhere"
    return Run(
      id: "x" + id, scenario: scenario, variant: variant, label: label, started: started,
      seed: seed, parameters: parameters, command: command, environment: environment,
      definitions: definitions, launches: launches, budgets: budgets, profile: nil,
      warnings: warnings, wasInterrupted: wasInterrupted)
  }
}
