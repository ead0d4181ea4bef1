import PerfModel
import PerfScenario
import Testing

/// The keys of scenarios with a command.
struct CommandKeysTests {
  /// The head of a scenario with a command; tests append keys from line 4 on.
  private static let command = "scenario: s\nsummary: A test.\ncommand: [ls]\n"

  private func scenario(_ keys: String) throws -> Scenario {
    try ScenarioFile(text: Self.command + keys, path: "s.yml").checked(against: nil).scenario
  }

  @Test func `a command without keys has the standard settings`() throws {
    #expect(try scenario("").command == Scenario.CommandSettings())
    #expect(try scenario("").command.summary.isEmpty)
  }

  @Test func `all keys of a command are read`() throws {
    let settings = try scenario(
      """
      directory: ..
      environment: { LC_ALL: C, N: 3, EMPTY: "" }
      stdin: books.csv
      prepare: [rm, -f, index]
      cleanup: [./clean]
      accept_exit: [0, 1]
      output: keep
      """
    ).command
    #expect(
      settings
        == Scenario.CommandSettings(
          directory: "..", environment: ["LC_ALL": "C", "N": "3", "EMPTY": ""], input: "books.csv",
          prepare: ["rm", "-f", "index"], cleanup: ["./clean"], acceptedExits: [0, 1],
          keepsOutput: true))
    #expect(try scenario("accept_exit: 3").command.acceptedExits == [3])
    // The end of FNV-1a of the values.
    let checksum = StableHash.text(of: "\u{0}C\u{0}3").suffix(4)
    #expect(settings.summary.contains("with EMPTY LC_ALL N (\(checksum))"))
  }

  @Test func `the metrics of a command have the declared units, directions and sources`() throws {
    let file = try ScenarioFile(
      text: Self.command + """
        metrics:
          parse: { pattern: 'parsed in ([0-9.]+) ms', unit: ms }
          hits: { line: cache.hits, unit: count, better: higher }
          score: { file: out.json, key: a.b, unit: count, better: neutral }
          query: { google-benchmark: bench.json, key: BM_Query/8 }
          only: { hyperfine: times.json }
        budgets: [parse <= 5 ms, query <= 1 s]
        gate: { metrics: { hits: { margin: 2% }, parse: {} } }
        """, path: "s.yml")
    let checked = try file.checked(against: nil)
    let metrics = checked.scenario.command.metrics
    #expect(
      metrics.map(\.source) == [
        .pattern("parsed in ([0-9.]+) ms"), .line(key: "cache.hits"),
        .file("out.json", key: "a.b"),
        .benchmark(.googleBenchmark, file: "bench.json", name: "BM_Query/8"),
        .benchmark(.hyperfine, file: "times.json", name: nil),
      ])
    #expect(metrics.map(\.definition.direction) == [.lower, .higher, .neutral, .lower, .lower])
    #expect(metrics.map(\.unit) == [.milliseconds, .count, .count, .nanoseconds, .nanoseconds])
    // Times are compared by ratio, counts by difference, as a count may be zero.
    #expect(metrics.map(\.definition.scale) == [.ratio, .difference, .difference, .ratio, .ratio])
    #expect(checked.catalog["parse"]?.dimension == .time)
    // The output is read, so that it must be kept.
    #expect(checked.scenario.command.keepsOutput)
  }

  @Test(arguments: [
    ("accept_exit: 256", "4:14: 'accept_exit' is 256, but must be 0 to 255."),
    ("accept_exit: []", "4:14: 'accept_exit' must be a list of exit statuses"),
    ("output: none", "4:9: 'output' cannot be 'none'. Choices: discard, keep."),
    ("environment: { A: [1] }", "4:19: 'A' must be a text, not a list."),
    ("prepare: make", "4:10: 'prepare' must be a list of words, e.g. [make], not 'make'."),
    ("metrics: { wall: { line: a, unit: s } }", "4:12: 'wall' is a metric of PerfKit."),
    ("metrics: { a: { unit: s } }", "4:12: metric 'a' has no source. Add one of: pattern, line,"),
    ("metrics: { a: { line: b } }", "metric 'a' has no key 'unit'"),
    ("metrics: { a: { file: b, unit: s } }", "metric 'a' has no key 'key'"),
    ("metrics: { a: { line: b, file: c, unit: s } }", "'line' and 'file' exclude each other"),
    ("metrics: { a: { hyperfine: b, unit: s } }", "the tool's file contains the unit"),
    ("metrics: { a: { line: b, unit: sec } }", "unknown unit 'sec'"),
    ("metrics: { a: { pattern: '(', unit: s } }", "4:26: '(' is no regular expression"),
    ("metrics: { a: { line: b, unit: s, better: up } }", "'better' cannot be 'up'"),
    ("metrics: { a: { line: b, unit: s } }\noutput: discard", "5:9: 'output' discards"),
    ("metrics: { 'a b': { line: b, unit: s } }", "cannot be the name of a metric"),
    ("gate: { metrics: { rss.end: {} } }", "4:20: a command never has 'rss.end'"),
    ("budgets: [cache.hits >= 1 count]", "4:11: a command never has 'cache.hits'"),
    ("budgets: [parse <= 1 s]", "4:11: unknown metric 'parse'"),
  ])
  func `an invalid key of a command is reported with its location`(keys: String, message: String) {
    let found = complaint(Self.command + keys)
    #expect(found?.contains(message) == true, "\(found ?? "valid")")
  }

  @Test func `keys of a command are refused in a scenario with a worker`() {
    #expect(
      complaint(head + "stdin: books.csv")
        == "s.yml:5:1: 'stdin' applies to a 'command' only. Remove it, or measure a command instead of "
        + "a worker.")
  }

  @Test func `a tree that is not checked out has the defaults of its project file`() throws {
    let files = [
      "apps/perfkit.yml": "build: [make]\nworker: bin/books",
      "perfkit.yml": "build: [make]\nworker: Other",
    ]
    let text = "scenario: s\nsummary: A test.\nworkload: w\n"
    let inner = try ScenarioFile(text: text, path: "apps/Scenarios/s.yml") { files[$0] }
    #expect(inner.scenario.worker == .path("../bin/books"))
    let outer = try ScenarioFile(text: text, path: "Scenarios/s.yml") { files[$0] }
    #expect(outer.scenario.worker == .product("Other"))
  }
}
