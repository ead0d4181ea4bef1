import PerfModel
import PerfScenario
import Testing

/// What is said of files that are wrong, word for word.
struct ScenarioComplaintTests {
  // MARK: YAML

  @Test(arguments: [
    ("", "s.yml:1:1: the file has no content. A scenario begins with 'scenario: NAME'."),
    (
      "# only a comment\n",
      "s.yml:1:1: the file has no content. A scenario begins with 'scenario: NAME'."
    ),
    ("just words", "s.yml:1:1: 'the file' must be a mapping, not 'just words'."),
    ("- a\n- b", "s.yml:1:1: 'the file' must be a mapping, not a list."),
    (
      "scenario: [s",
      "s.yml:2:1: this is not YAML: while parsing a flow sequence, did not find "
        + "expected ',' or ']'."
    ),
    (
      "scenario: s\n\tsummary: x",
      "s.yml:2:1: this is not YAML: while scanning a plain scalar, found a tab character that violates "
        + "indentation."
    ),
    (
      "scenario: s\n---\nscenario: t",
      "s.yml:2:1: this is not YAML: expected a single document in the stream, but found another "
        + "document."
    ),
    (
      "scenario: s\nsummary: \u{1}",
      "s.yml:2:10: this is not YAML: control characters are not "
        + "allowed."
    ),
    (
      head + "warmup: 1\nwarmup: 2", "s.yml:5:1: the key 'warmup' is given twice. Remove one."
    ),
    (
      head + "parameters:\n  a: 1\n  a: 2", "s.yml:6:3: the key 'a' is given twice. Remove one."
    ),
  ])
  func `text that is no scenario`(text: String, message: String) {
    #expect(complaint(text) == message)
  }

  @Test(arguments: [
    ("a: &x 1\nb: *x", 1, 4), ("b: [1]\na: &x [1]", 2, 4), ("? &x k\n: *x", 1, 3),
    ("a: [{ b: &x c }]", 1, 10), ("&x a: 1", 1, 1), ("a: !!str &x b", 1, 4),
  ])
  func `an anchor is refused at its place, and so is its alias`(
    text: String, line: Int, column: Int
  ) {
    let message = "YAML anchors and aliases (&name, *name) are not allowed. Write the value out."
    #expect(complaint(text) == "s.yml:\(line):\(column): \(message)")
  }

  @Test
  func `an alias of nothing is refused`() {
    #expect(complaint("a: *x") == "s.yml:1:4: this is not YAML: found undefined alias.")
  }

  @Test(arguments: ["'*quoted*'", "five * six, *seven*", "R&D, a*b", "|\n  * a bullet\n  2*3"])
  func `a star or an ampersand inside of a text is no alias`(summary: String) {
    #expect(complaint("scenario: s\nworkload: w\nworker: W\nsummary: \(summary)") == nil)
  }

  @Test
  func `aliases of aliases are refused before they are followed`() {
    // Nine levels of ten: a billion nodes, were it composed and its key hashed. The 33rd star is
    // the third of the fourth level: `l4: &l4 [*l3,*l3,*l3`.
    let levels = (1..<10).map { level in
      "l\(level): &l\(level) [\(Array(repeating: "*l\(level - 1)", count: 10).joined(separator: ","))]"
    }
    let text = (["l0: &l0 [x]"] + levels + ["? *l9", ": 1"]).joined(separator: "\n")
    #expect(
      complaint(text) == "s.yml:5:18: YAML anchors and aliases (&name, *name) are not allowed. "
        + "Write the value out.")
  }

  @Test
  func `the largest bomb that is composed is refused as well`() {
    // 10 levels of 3 aliases, used as a key and as a value: 32 stars, 3^10 = 59,049 nodes each.
    let levels = (1...10).map { "l\($0): &l\($0) [*l\($0 - 1), *l\($0 - 1), *l\($0 - 1)]" }
    let text = (["l0: &l0 [x]"] + levels + ["? *l10", ": *l10"]).joined(separator: "\n")
    #expect(
      complaint(text) == "s.yml:1:5: YAML anchors and aliases (&name, *name) are not allowed. "
        + "Write the value out.")
  }

  @Test
  func `deep nesting is an error and no crash`() throws {
    let message = try #require(complaint(String(repeating: "[", count: 100_000)))
    #expect(message.hasPrefix("s.yml:1:"))
    #expect(message.contains("this is not YAML"))
  }

  // MARK: Keys and types

  @Test(arguments: [
    ("iteration: 5", "5:1: unknown key 'iteration' in the scenario; did you mean 'iterations'?"),
    (
      "colour: red",
      "5:1: unknown key 'colour' in the scenario. Keys: scenario, summary, workload, worker, command, "
        + "parameters, variants, default_variant, iterations, warmup, timeout, profile, ...."
    ),
    ("case_study: Epilogue", "5:13: 'case_study' must be a mapping, not 'Epilogue'."),
    ("case_study: { statement: x }", "5:13: 'case_study' has no key 'study'. Add 'study: ...'."),
    (
      "case_study: { study: Epilogue, claim: x }",
      "5:32: unknown key 'claim' in 'case_study'. Keys: study, statement."
    ),
    ("profile: { rat: 5 }", "5:12: unknown key 'rat' in 'profile'; did you mean 'rate'?"),
    ("gate: { metric: {} }", "5:9: unknown key 'metric' in 'gate'; did you mean 'metrics'?"),
    (
      "gate: { metrics: { wall: { margins: 2% } } }",
      "5:28: unknown key 'margins' in metric 'wall'; did you mean 'margin'?"
    ),
    ("profile: {}", "5:10: 'profile' has no key 'rate'. Add 'rate: ...'."),
    (
      "variants: { a: {}, b: {} }",
      "1:1: the scenario has no key 'default_variant'. Add 'default_variant: ...'."
    ),
    (
      "command: [x]", "4:1: 'worker' and 'command' exclude each other. Remove one."
    ),
    ("iterations: ten", "5:13: 'iterations' must be a whole number, not 'ten'."),
    ("iterations: '10'", "5:13: 'iterations' must be a whole number, not the text '10'."),
    ("iterations: 1.5", "5:13: 'iterations' must be a whole number, not '1.5'."),
    ("iterations:", "5:12: 'iterations' must be a whole number, not nothing."),
    ("iterations: 0", "5:13: 'iterations' is 0, but must be 1 to 10,000."),
    ("warmup: -1", "5:9: 'warmup' is -1, but must be 0 to 1,000."),
    ("parameters: [a]", "5:13: 'parameters' must be a mapping, not a list."),
    (
      "parameters: { a: [1] }",
      "5:18: 'a' must be a number, a text, true or false, not a list."
    ),
    (
      "parameters: { a: }",
      "5:18: 'a' must be a number, a text, true or false, not nothing."
    ),
    ("variants: {}", "5:11: 'variants' must be a mapping of names, not an empty one."),
    (
      "variants: { 'a:b': {} }",
      "5:13: 'a:b' cannot be the name of a variant. Use letters, digits, '-', '_' and single dots; "
        + "begin with a letter or digit."
    ),
    (
      "variants: { naive: {} }\ndefault_variant: naiv",
      "6:18: unknown variant 'naiv'; did you mean 'naive'?"
    ),
    (
      "budgets: rss.peak <= 1 MB",
      "5:10: 'budgets' must be a list of texts like 'rss.peak <= 150 MB', not "
        + "'rss.peak <= 1 MB'."
    ),
    ("profile: { rate: 20001 }", "5:18: 'rate' is 20,001, but must be 0 to 20,000."),
  ])
  func `wrong keys and types`(line: String, message: String) {
    #expect(complaint(head + line) == "s.yml:" + message)
  }

  @Test(arguments: [
    (
      "summary: A.",
      "s.yml:1:1: the scenario has no name. Add 'scenario: s' (the file's name without .yml)."
    ),
    (
      "scenario: s\nworkload: w\nworker: W",
      "s.yml:1:1: the scenario has no key 'summary'. Add 'summary: ...'."
    ),
    (
      "scenario: s\nsummary: A.",
      "s.yml:1:1: the scenario has no key 'worker'. Add 'worker: ...'."
    ),
    (
      "scenario: s\nsummary: A.\nworker: W",
      "s.yml:1:1: the scenario has no key 'workload'. Add 'workload: ...'."
    ),
    (
      "scenario: t\nsummary: A.",
      "s.yml:1:11: the scenario's name is 't', but its file's name is 's'. Use the same name."
    ),
    (
      "scenario: ../s\nsummary: A.",
      "s.yml:1:11: '../s' cannot be the name of a scenario. Use letters, digits, '-', '_' and single "
        + "dots; begin with a letter or digit."
    ),
    (
      "scenario: s\nsummary: A.\ncommand: []",
      "s.yml:3:10: 'command' must be a program and its arguments, not an empty list."
    ),
    (
      "scenario: s\nsummary: A.\ncommand: [[a]]",
      "s.yml:3:11: 'command' must be a list of words, not a list."
    ),
    (
      "scenario: s\nsummary: A.\ncommand: [a]\nworkload: b",
      "s.yml:4:1: 'workload' and 'command' exclude each other. Remove one."
    ),
    (
      "scenario: s\nsummary: A.\ncommand: [a]\nbudgets: [covers.loaded <= 1 count]",
      "s.yml:4:11: unknown metric 'covers.loaded'. 'perfkit list metrics' lists all metrics."
    ),
  ])
  func `missing keys and wrong names`(text: String, message: String) {
    #expect(complaint(text) == message)
  }

  // MARK: Units

  @Test(arguments: [
    ("timeout: 60", "5:10: '60' has no unit. Write it like '60s'."),
    ("timeout: soon", "5:10: 'soon' does not begin with a number. Write it like '60s'."),
    (
      "timeout: 60 sec",
      "5:10: unknown unit 'sec' in '60 sec'"
        + ". Units: ns, us, ms, s, min, B, kB, MB, GB, KiB, MiB, GiB, ...."
    ),
    (
      "timeout: 60 MB", "5:10: timeout is not measured in 'MB'. Units: ns, us, ms, s, min."
    ),
    ("timeout: 0s", "5:10: 'timeout' is 0 s, but must be above 0, to 24 hours."),
    ("timeout: 25000 min", "5:10: 'timeout' is 25000 min, but must be above 0, to 24 hours."),
    ("profile: { rate: 1 kHz }", "5:18: unknown unit 'kHz' in '1 kHz'; did you mean 'Hz'?"),
    (
      "parameters: { device_budget: 256 Mb }",
      "5:30: unknown unit 'Mb' in '256 Mb'; did you mean 'MB'?"
    ),
    ("parameters: { device_budget: 256 }", "5:30: '256' has no unit. Write it like '256 MB'."),
    (
      "parameters: { jetsam_limit: 0 MB }",
      "5:29: 'jetsam_limit' is 0 MB, but must be 1 B to 1,000,000 GB."
    ),
    (
      "parameters: { sample_rate: 1 kHz }",
      "5:28: 'sample_rate' must be a whole number of Hz, not '1 kHz'."
    ),
    ("parameters: { sample_rate: -1 }", "5:28: 'sample_rate' is -1, but must be 0 to 20000."),
    (
      "parameters: { page_cache: cool }",
      "5:27: 'page_cache' cannot be 'cool'. Choices: warm, cold."
    ),
  ])
  func `wrong units`(line: String, message: String) {
    #expect(complaint(head + line) == "s.yml:" + message)
  }

  // MARK: Budgets, gates, pressure

  @Test(arguments: [
    (
      "rss.peak = 150 MB",
      "5: budget 'rss.peak = 150 MB' has no '<=', '>=' or '=='. "
        + "Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "<= 150 MB",
      "5: budget '<= 150 MB' names no metric. Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "max() <= 150 MB",
      "5: budget 'max() <= 150 MB' names no metric. Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "max(wall <= 1 s",
      "5: budget 'max(wall <= 1 s' has '(' without one ')' after the metric. "
        + "Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "wall) <= 1 s",
      "5: budget 'wall) <= 1 s' has ')' without '('. "
        + "Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    ("maxi(wall) <= 1 s", "5: unknown statistic 'maxi'; did you mean 'max'?"),
    (
      "median(wall) <= 1 s",
      "5: unknown statistic 'median'; did you mean 'mean'?"
    ),
    (
      "p101(wall) <= 1 s",
      "5: unknown statistic 'p101'. Statistics: min, mean, max, p50, p95, p99."
    ),
    ("rss.peak <= 150", "17: '150' has no unit. Write it like '150 MB'."),
    ("rss.peak <= lots", "17: 'lots' does not begin with a number. Write it like '150 MB'."),
    ("rss.peak <= 150 Mb", "17: unknown unit 'Mb' in '150 Mb'; did you mean 'MB'?"),
    (
      "rss.peak <= 150 ms",
      "17: rss.peak is not measured in 'ms'. Units: B, kB, MB, GB, KiB, MiB, GiB."
    ),
    (
      "p95(wall) <= 1 s",
      "5: p95 needs at least 20 launches, but 'iterations' is 10. Write 'max(wall)', or 'iterations: 20'."
    ),
    (
      "p5(wall) <= 1 s",
      "5: p5 needs at least 20 launches, but 'iterations' is 10. Write 'min(wall)', or 'iterations: 20'."
    ),
  ])
  func `wrong budgets`(budget: String, message: String) {
    #expect(complaint(head + "budgets:\n  - \(budget)") == "s.yml:6:" + message)
  }

  @Test
  func `the place inside of a quoted budget counts the quote`() {
    // The metric begins at the quote (column 5), its limit 13 characters behind it.
    #expect(
      complaint(head + "budgets:\n  - 'rss.peak <= 150 Mb'")
        == "s.yml:6:18: unknown unit 'Mb' in '150 Mb'; did you mean 'MB'?")
  }

  @Test(arguments: [
    ("margin: 2", "5:17: '2' has no unit. Write it like '2%'."),
    ("margin: 0%", "5:17: 'margin' is 0%, but must be above 0."),
    ("margin: {}", "5:17: 'margin' must be like '2%', not a mapping."),
    ("margin: []", "5:17: 'margin' must be like '2%' or '1 ms/s', not a list."),
    (
      "margin: [1%, 2%]",
      "5:22: 'margin' must be one percentage, one amount, or one of each, not two of a kind."
    ),
    (
      "margin: 1 ms",
      "5:17: '1 ms' cannot be the margin of every metric, because metrics have different units. "
        + "Write a percentage like '2%', or set the margin of a metric under 'metrics'."
    ),
    ("metrics: [wall]", "5:18: 'metrics' must be a mapping, not a list."),
    (
      "metrics: { frame.count: {} }",
      "5:20: 'frame.count' has no better direction, so it can neither gate nor be a control. "
        + "Remove it."
    ),
    (
      "metrics: { wall: { margin: 1 MB } }",
      "5:36: wall is not measured in 'MB'. Units: ns, us, ms, s, min."
    ),
  ])
  func `wrong gates`(gate: String, message: String) {
    #expect(complaint(head + "gate: { \(gate) }") == "s.yml:" + message)
  }

  @Test(arguments: [
    ("controls: { metric: [wall] }", "unknown key 'metric' in 'controls'; did you mean 'metrics'?"),
    ("controls: { metrics: wall }", "'metrics' must be a list of names, not 'wall'."),
    ("controls: { metrics: [rss.peek] }", "unknown metric 'rss.peek'; did you mean 'rss.peak'?"),
    ("controls: { metrics: [frame.count] }", "so it can neither gate nor be a control. Remove it."),
    (
      "gate: { metrics: { wall: {} } }\ncontrols: { metrics: [wall] }",
      "'wall' gates, so it cannot be a control as well. Remove it from one of the two."
    ),
  ])
  func `wrong controls`(text: String, message: String) {
    #expect(workerComplaint(head + text)?.contains(message) == true)
  }

  @Test
  func `controls are read as they stand`() throws {
    let file = try ScenarioFile(
      text: head + "controls: { metrics: [rss.peak], functions: [decode(_:)], scenarios: [t] }",
      path: "s.yml")
    let controls = try file.checked(against: bookWorkloads).scenario.controls
    #expect(controls.metrics == ["rss.peak"])
    #expect(controls.functions == ["decode(_:)"])
    #expect(controls.scenarios == ["t"])
  }

  @Test(arguments: [
    (
      "{ level: 1, hold: 1s }", "6:13: a pressure step has no key 'at'. Add 'at: ...'."
    ),
    (
      "{ at: 0s, levels: 1, hold: 1s }",
      "6:23: unknown key 'levels' in a pressure step; did you mean 'level'?"
    ),
    (
      "{ at: 0s, level: 1.6, hold: 1s }",
      "6:30: 'level' is 1.6, but must be a fraction from 0 to 1.5, or a percentage."
    ),
    (
      "{ at: 0s, level: high, hold: 1s }",
      "6:30: 'high' does not begin with a number. Write it like '0.4 or 40%'."
    ),
    ("{ at: -1s, level: 1, hold: 1s }", "6:19: 'at' is -1 s, but must be 0s to 24 hours."),
    ("{ at: 0s, level: 1, hold: 0s }", "6:39: 'hold' is 0 s, but must be above 0, to 24 hours."),
    (
      "{ at: 0s, level: 1, hold: 2s }, { at: 1s, level: 1, hold: 1s }",
      "6:45: this pressure step begins before the previous step ends. Increase its 'at'."
    ),
  ])
  func `wrong pressure`(steps: String, message: String) {
    let text = head + "parameters: { device_budget: 1 GB }\npressure: [ \(steps) ]"
    #expect(complaint(text) == "s.yml:" + message)
  }

  @Test
  func `pressure needs a device budget, shared or in each variant`() {
    let step = "pressure: [{ at: 0s, level: 0.4, hold: 1s }]\n"
    let message =
      "s.yml:5:1: 'pressure' needs a 'device_budget' among the parameters. Add one like "
      + "'device_budget: 256 MB'."
    #expect(complaint(head + step) == message)
    let one = "variants: { a: { device_budget: 1 GB }, b: {} }\ndefault_variant: a"
    #expect(complaint(head + step + one) == message)
    let both =
      "variants: { a: { device_budget: 1 GB }, b: { device_budget: 2 GB } }\ndefault_variant: a"
    #expect(complaint(head + step + both) == nil)
  }
}
