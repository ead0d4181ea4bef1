import PerfModel
import PerfScenario
import Testing

/// The messages about invalid YAML, keys and types, verbatim.
struct ScenarioSyntaxErrorTests {
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
  func `a text that is not a YAML mapping is refused`(text: String, message: String) {
    #expect(complaint(text) == message)
  }

  @Test(arguments: [
    ("a: &x 1\nb: *x", 1, 4), ("b: [1]\na: &x [1]", 2, 4), ("? &x k\n: *x", 1, 3),
    ("a: [{ b: &x c }]", 1, 10), ("&x a: 1", 1, 1), ("a: !!str &x b", 1, 4),
  ])
  func `an anchor is refused at its location, even if it is used`(
    text: String, line: Int, column: Int
  ) {
    let message = "YAML anchors and aliases (&name, *name) are not allowed. Write the value out."
    #expect(complaint(text) == "s.yml:\(line):\(column): \(message)")
  }

  @Test
  func `an undefined alias is refused`() {
    #expect(complaint("a: *x") == "s.yml:1:4: this is not YAML: found undefined alias.")
  }

  @Test(arguments: ["'*quoted*'", "five * six, *seven*", "R&D, a*b", "|\n  * a bullet\n  2*3"])
  func `a star or an ampersand inside a text is not an alias`(summary: String) {
    #expect(complaint("scenario: s\nworkload: w\nworker: W\nsummary: \(summary)") == nil)
  }

  @Test
  func `deep nesting throws an error instead of crashing`() throws {
    let message = try #require(complaint(String(repeating: "[", count: 100_000)))
    #expect(message.hasPrefix("s.yml:1:"))
    #expect(message.contains("this is not YAML"))
  }

  // MARK: Keys and types

  @Test(arguments: [
    ("iteration: 5", "5:1: unknown key 'iteration' in the scenario; did you mean 'iterations'?"),
    (
      "colour: red",
      "5:1: unknown key 'colour' in the scenario. Keys: scenario, summary, workload, worker, "
        + "arguments, command, parameters, variants, default_variant, iterations, warmup, timeout, ...."
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
  func `unknown keys and wrong types are refused with a remedy`(line: String, message: String) {
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
      "s.yml:1:1: the scenario has nothing to measure. Add 'command: [PROGRAM, ARGUMENT]', or "
        + "'workload' and 'worker'."
    ),
    (
      "scenario: s\nsummary: A.\ncomand: a",
      "s.yml:3:1: unknown key 'comand' in the scenario; did you mean 'command'?"
    ),
    (
      "scenario: s\nsummary: A.\nworkload: w",
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
  func `missing keys and invalid names are refused with a remedy`(text: String, message: String) {
    // The other missing keys of these short texts are reported as well.
    #expect(complaint(text)?.contains(message) == true)
  }
}
