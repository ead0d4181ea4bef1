import Foundation
import PerfModel
import PerfScenario
import PerfTestSupport
import Testing

@testable import PerfGate

/// The rules of a gate in two trees.
struct GateRulesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for side in ["base", "candidate"] {
      // A checkout ends the search for a project file.
      try write(side, ".git/HEAD", "")
      try write(side, "perfkit.yml", "build: [/bin/true]\n")
      for name in ["palette", "scroll"] { try scenario(side, name) }
    }
  }

  private func write(_ side: String, _ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: folder("\(side)/\(path)"))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func scenario(
    _ side: String, _ name: String, margin: String = "2%", in place: String = "Scenarios",
    program: String? = nil
  ) throws {
    try write(
      side, "\(place)/\(name).yml",
      """
      scenario: \(name)
      summary: The scenario \(name).
      command: [/bin/\(program ?? name)]
      gate: { margin: \(margin), metrics: { wall: {} } }
      """)
  }

  private func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: folder("candidate/\(path)"))
  }

  private func changes(of names: [String]? = nil, upstream: ProjectFile? = nil) -> [GateChange] {
    GateRules(tree: folder("base")).changes(
      to: GateRules(tree: folder("candidate")), of: names, upstream: upstream)
  }

  @Test func `equal rules have no changes`() {
    #expect(changes().isEmpty)
  }

  @Test func `a scenario that the candidate lacks is removed and fails the gate`() throws {
    try remove("Scenarios/palette.yml")
    let change = try #require(changes().first)
    #expect(changes().count == 1 && change.id == "removed:palette")
    #expect(change.result.status == .gateFailed)
    #expect(
      change.result.note == "Scenario palette is removed: the base has it. "
        + "Accept it: perfkit decide removed:palette --keep --because TEXT.")
    // A user who names scenarios judges these alone.
    #expect(changes(of: ["scroll"]).isEmpty)
    #expect(changes(of: ["palette"]).map(\.kind) == [.removed])
  }

  @Test func `a scenario with another name is renamed and fails nothing`() throws {
    try remove("Scenarios/palette.yml")
    try scenario("candidate", "colours", program: "palette")
    let change = try #require(changes().first)
    #expect(changes().count == 1 && change.kind == .renamed && change.subject == "colours")
    #expect(change.result.note == "Scenario palette is now colours.")
    #expect(change.result.status == .done && change.level == .notice)
    // With a wider margin it is another scenario.
    try scenario("candidate", "colours", margin: "20%", program: "palette")
    #expect(changes().map(\.id) == ["removed:palette"])
  }

  @Test func `a wider margin of the project loosens the scenarios that inherit it`() throws {
    for side in ["base", "candidate"] {
      let text = try String(contentsOfFile: folder("\(side)/Scenarios/scroll.yml"), encoding: .utf8)
      try write(
        side, "Scenarios/scroll.yml", text.replacing("margin: 2%, metrics", with: "metrics"))
    }
    try write("base", "perfkit.yml", "build: [/bin/true]\ngate: { margin: 1% }\n")
    try write("candidate", "perfkit.yml", "build: [/bin/true]\ngate: { margin: 5% }\n")
    let change = try #require(changes().first)
    #expect(changes().count == 1 && change.id == "loosened:scroll")
    #expect(
      change.sentence == "The candidate loosens the gate: the margin of wall is 5%, not 1%. "
        + "The base's rules decide.")
  }

  @Test func `a project file that no longer names a scenario is loosened`() throws {
    try write(
      "candidate", "perfkit.yml", "build: [/bin/true]\ngate: { scenarios: [scroll] }\n")
    #expect(changes().map(\.id) == ["loosened:palette"])
    #expect(changes()[0].sentence.contains("perfkit.yml no longer names the scenario"))
  }

  @Test func `controls, a quick gate and another base in the project file are loosened`() throws {
    try write(
      "candidate", "perfkit.yml",
      "build: [/bin/true]\ncontrols: [scroll]\ngate: { quick: true, against: HEAD }\n")
    let base = try ProjectFile(text: "build: [/bin/true]", path: "perfkit.yml")
    let change = try #require(changes(upstream: base).first)
    #expect(change.id == "loosened:perfkit.yml")
    #expect(
      change.sentence
        == "The candidate loosens the gate: scenario scroll is a control of all; it is "
        + "quick; it compares with 'HEAD', not with 'the merge base'.")
    #expect(!change.result.isOfScenario)
    // Named scenarios are judged by the same project file.
    #expect(changes(of: ["scroll"], upstream: base) == [change])
  }

  @Test func `another build is loosened`() throws {
    try write("candidate", "perfkit.yml", "build: [/bin/make, slow]\nproducts: bin\n")
    let slow = try #require(changes().first)
    let phrases = slow.sentence.split(separator: "; ")
    #expect(changes().count == 1 && phrases.count == 2)
    #expect(
      phrases[0].hasPrefix(
        "The candidate loosens the gate: 'build' changed for both sides to content "))
    #expect(phrases[1].hasPrefix("'products' changed for both sides to content "))
    // A decision on one build accepts no other build.
    try write("candidate", "perfkit.yml", "build: [/bin/make, slower]\nproducts: bin\n")
    #expect(changes().map(\.id) == [slow.id] && changes()[0].sentence != slow.sentence)
  }

  @Test func `a first project file is compared with the settings without a file`() throws {
    try FileManager.default.removeItem(atPath: folder("base/perfkit.yml"))
    // Nothing says how the base is built.
    #expect(changes().isEmpty)
    try write(
      "candidate", "perfkit.yml",
      "build: [/bin/make]\ncontrols: [scroll]\ngate: { quick: true, max_time: 1 s }\n")
    let sentence =
      "The candidate loosens the gate: scenario scroll is a control of all; it is quick; it "
      + "measures for at most 1 s, not without a limit"
    #expect(changes().map(\.id) == ["loosened:perfkit.yml"])
    #expect(changes()[0].sentence == sentence + ".")
    try write("base", "Package.swift", "")
    #expect(changes()[0].sentence.hasPrefix(sentence + "; 'build' changed for both sides to"))
    // Without scenarios, the base has no gate.
    try FileManager.default.removeItem(atPath: folder("base/Scenarios"))
    #expect(changes().isEmpty)
  }

  @Test func `the rules of a project in a folder are those of its own file`() throws {
    for (side, margin) in [("base", 1), ("candidate", 5)] {
      try write(side, "tools/perfkit.yml", "build: [/bin/true]\ngate: { margin: \(margin)% }\n")
      try write(
        side, "tools/Scenarios/zip.yml",
        "scenario: zip\nsummary: A zip.\ncommand: [/bin/zip]\ngate: { metrics: { wall: {} } }\n")
    }
    let changes = GateRules(tree: folder("base"), place: "tools/").changes(
      to: GateRules(tree: folder("candidate"), place: "tools/"))
    #expect(changes.map(\.id) == ["loosened:zip"])
    #expect(changes[0].sentence.contains("the margin of wall is 5%, not 1%"))
  }

  /// Every key of a scenario file with another value, and the kind of its change; nil if the key cannot
  /// loosen a gate.
  private static let keys: [(key: String, base: String, candidate: String, kind: String?)] = [
    ("summary", "summary: One.", "summary: Two.", nil),
    ("case_study", "", "case_study: { study: a }", nil),
    ("command", "", "command: [/bin/false]", "changed"),
    ("worker", "worker: A\nworkload: x", "worker: B\nworkload: x", "changed"),
    ("workload", "worker: A\nworkload: x", "worker: A\nworkload: y", "changed"),
    ("parameters", worker + "{ books: 1 }", worker + "{ books: 2 }", "changed"),
    ("quick", worker + "{ books: 1 }", worker + "{ books: 1 }\nquick: { books: 2 }", "changed"),
    (
      "pressure", worker + "{ device_budget: 256 MB }",
      worker + "{ device_budget: 256 MB }\npressure:\n  - { at: 0s, level: 0.4, hold: 1s }",
      "changed"
    ),
    (
      "calibrate", "worker: A\nworkload: x\nvariants: { a: {} }\ndefault_variant: a",
      "worker: A\nworkload: x\nvariants: { a: {} }\ndefault_variant: a\n"
        + "calibrate: { parameter: n, variant: a, metric: wall, target: 1 ms, range: 1...4 }",
      "changed"
    ),
    ("directory", "", "directory: ..", "changed"),
    ("environment", "", "environment: { A: b }", "changed"),
    ("stdin", "", "stdin: file", "changed"),
    ("prepare", "prepare: [/bin/a]", "", "changed"),
    ("cleanup", "cleanup: [/bin/a]", "", "changed"),
    ("output", "", "output: keep", "changed"),
    ("warmup", "", "warmup: 5", "changed"),
    ("profile", "", "profile: { rate: 10 }", "changed"),
    ("accept_exit", "", "accept_exit: [0, 1]", "loosened"),
    ("timeout", "", "timeout: 61s", "loosened"),
    ("timeout", "", "timeout: 59s", nil),
    ("iterations", "", "iterations: 7", "loosened"),
    (
      "variants", "variants: { a: {}, b: {} }\ndefault_variant: a", "variants: { a: {} }",
      "loosened"
    ),
    (
      "default_variant", "variants: { a: {}, b: {} }\ndefault_variant: a",
      "variants: { a: {}, b: {} }\ndefault_variant: b", "loosened"
    ),
    ("budgets", "", "budgets: [wall <= 2 s]", "loosened"),
    (
      "gate", "gate: { count: true, metrics: { wall: {} } }", "gate: { metrics: { wall: {} } }",
      "loosened"
    ),
    (
      "gate", "gate: { count: true, metrics: { wall: {} } }",
      "gate: { metrics: { wall: {}, work.instructions: { margin: 1% } } }", "loosened"
    ),
    (
      "gate", "gate: { metrics: { wall: {} } }", "gate: { count: true, metrics: { wall: {} } }", nil
    ),
    ("controls", "", "controls: { metrics: [rss.peak] }", "loosened"),
    ("metrics", reported("line: rate", "higher"), reported("line: rate", "lower"), "loosened"),
    ("metrics", reported("line: rate", "higher"), reported("pattern: (.)", "higher"), "loosened"),
  ]

  private static let worker = "worker: A\nworkload: x\nparameters: "

  private static func reported(_ source: String, _ better: String) -> String {
    "metrics: { rate: { \(source), unit: count, better: \(better) } }\n"
      + "gate: { metrics: { wall: {}, rate: {} } }"
  }

  @Test func `each key of a scenario that can loosen a gate is a change`() throws {
    for (key, base, candidate, kind) in Self.keys {
      for (side, text) in [("base", base), ("candidate", candidate)] {
        let standard = [
          "summary: One.", "command: [/bin/true]", "iterations: 8", "budgets: [wall <= 1 s]",
          "gate: { metrics: { wall: {} } }",
        ].filter { line in
          let name = line.prefix { $0 != ":" } + ":"
          // A worker replaces the command.
          if name == "command:", text.hasPrefix("worker:") { return false }
          return !text.split(separator: "\n").contains { $0.hasPrefix(name) }
        }
        try write(
          side, "Scenarios/scroll.yml",
          (["scenario: scroll"] + standard + [text]).joined(separator: "\n") + "\n")
      }
      let rules = GateRules(tree: folder("candidate"))
      #expect(rules.scenario("scroll") != nil, "\(key): \(candidate)")
      #expect(changes().map(\.kind.rawValue) == [kind].compactMap(\.self), "\(key): \(candidate)")
    }
  }

  @Test func `scenarios in another folder are the same scenarios`() throws {
    try remove("Scenarios")
    for name in ["palette", "scroll"] { try scenario("candidate", name, in: "bench") }
    try write("candidate", "perfkit.yml", "build: [/bin/true]\nscenarios: bench\n")
    #expect(changes().isEmpty)
  }

  @Test
  func `another program is a warning that a decision accepts, unreadable rules only a warning`()
    throws
  {
    try scenario("candidate", "scroll", program: "sleep")
    try write("base", "Scenarios/palette.yml", "scenario: [\n")
    let changes = changes()
    #expect(changes.map(\.id) == ["unreadable:palette", "changed:scroll"])
    #expect(changes[0].sentence.contains("The base's rules cannot be read"))
    let note = changes[1].result.note
    #expect(note.hasPrefix("The scenario changed (program) to content "))
    #expect(
      note.hasSuffix(
        ". Both sides are measured by the base's file. Accept the new file: perfkit decide "
          + "changed:scroll --keep --because TEXT."))
    // The sentence by which a decision knows the change depends on the file's content.
    try scenario("candidate", "scroll", program: "true")
    #expect(self.changes()[1].sentence != changes[1].sentence)
    #expect(changes.allSatisfy { $0.level == .warning && $0.result.status == .done })
  }

  @Test func `a project file of the base that cannot be read is a warning`() throws {
    try write("base", "perfkit.yml", "build: [\n")
    let change = try #require(changes().first)
    #expect(changes().count == 1 && change.id == "unreadable:perfkit.yml")
    #expect(change.level == .warning && change.result.status == .done)
    #expect(
      change.sentence.hasPrefix(
        "The base's rules cannot be read, so that the candidate's decide: perfkit.yml"))
  }

  @Test func `a decision accepts one change of the rules on one base`() throws {
    try scenario("candidate", "scroll", margin: "10%")
    let change = try #require(changes().first)
    func decision(_ sentence: String, _ outcome: Decision.Resolution) -> Decision {
      let side = Comparison.Side(
        run: "", scenario: "scroll", variant: "", label: nil, commit: "abc",
        started: Timestamp(milliseconds: 0))
      var decision = Decision(
        Comparison(
          id: change.id, base: side, candidate: side, alpha: 0, seed: 0, metrics: [],
          functions: [], environmentDifferences: [], warnings: [], verdict: .regressed),
        sentence: sentence, outcome: outcome, hypothesis: "", change: "", because: "So.",
        decided: Timestamp(milliseconds: 0))
      decision.number = 3
      return decision
    }
    let kept = decision(change.sentence, .kept)
    let accepted = change.decided(by: [kept], base: "abc")
    #expect(accepted.decision == 3 && accepted.result.status == .done)
    #expect(accepted.result.note.hasSuffix("It is accepted by decision 3."))
    #expect(!accepted.result.note.contains(GateChange.byBase))
    #expect(accepted.level == .notice)
    #expect(change.decided(by: [kept], base: "def").decision == nil)
    #expect(change.decided(by: [decision("Another.", .kept)], base: "abc").decision == nil)
    let taken = [kept, decision(change.sentence, .reverted)]
    #expect(change.decided(by: taken, base: "abc").decision == nil)
  }
}
