import ArgumentParser
import Foundation
import PerfGate
import PerfModel
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfRunner
@testable import perfkit

/// The options and environment variables in the help.
struct HelpTests {
  /// A valid command line of each verb, in the form that the help of most options is about.
  private static let forms: [String: [String]] = [
    "init": [], "run": ["scenario"], "diff": ["--scenario", "scenario"],
    "try": ["--scenario", "scenario"],
    "bisect": ["good", "bad", "--scenario", "scenario", "--metric", "wall"],
    "compare": ["a", "b"], "gate": [], "verify": ["report.html"],
    "decide": ["latest", "--keep", "--because", "It is faster."],
    "list": ["runs"], "show": [], "history": ["scenario", "--metric", "wall"],
    "report": ["a", "b"], "chart": ["--against", "a", "--output", "a.svg"],
    "annotate": ["latest", "decode"], "flamegraph": ["--output", "a.svg"],
    "export": ["--to", "pprof", "--output", "a"],
    "doctor": [], "selftest": [], "record": [], "import profile": ["file"],
    "store check": [], "store backup": ["file"], "store vacuum": [],
    "store prune": ["--keep", "2"], "store export": ["file"], "store import": ["file"],
    "baseline save": ["name", "latest"], "baseline list": [], "baseline remove": ["name"],
    "baseline export": ["name"], "baseline import": ["file"], "guide": [], "mcp": [],
    "hub init": ["postgresql:///perfkit"], "hub push": ["latest"], "hub pull": [],
    "hub list": [], "hub prune": ["--keep", "2"], "hub jobs": [], "hub cancel": ["1"],
    "hub wait": ["1"], "hub submit diff": ["main", "HEAD", "--scenario", "scroll"],
    "runner": ["--allow", "git@example.org:a.git"],
  ]

  /// Other forms of a verb, for the options whose help names them.
  private static let formsByOption: [String: [String]] = [
    "chart metric": ["--kind", "history", "--output", "a.svg"],
    "run cache-sim": ["scenario", "--count"],
    "run branch-sim": ["scenario", "--count"],
    "flamegraph live": ["--allocations", "--output", "a.svg"],
    "record duration": ["--pid", "4711"],
    "show slowest": ["--signpost", "load"],
    "show signpost": ["--slowest", "1%"],
    "show phase": ["--slowest", "1%"],
    "report sources": ["latest"],
    "hub push all": [],
    "report slowest": ["--signpost", "load"],
    "report signpost": ["--slowest", "1%"],
    "report phase": ["--slowest", "1%"],
    "flamegraph slowest": ["--output", "a.svg", "--signpost", "load"],
  ]

  /// Returns a command line of a verb with an option; nil if the verb's form already contains it.
  private static func words(_ verb: OfferedVerb, _ option: OfferedOption) throws -> [String]? {
    let name = verb.path.joined(separator: " ")
    var form = try #require(formsByOption["\(name) \(option.name)"] ?? forms[name], "\(name)")
    if name == "decide", option.section == "With --revisit" { form = ["--revisit"] }
    let isChoice = ["keep", "revert", "no-effect"].contains(option.name)
    if name == "decide", isChoice {
      return verb.path + ["latest", "--because", "It is faster."] + option.words
    }
    guard !form.contains("--\(option.name)") else { return nil }
    if name == "decide", option.name == "revisit" { return verb.path + option.words }
    let needsProgram = name == "record" && !["pid", "duration"].contains(option.name)
    return verb.path + form + option.words + (needsProgram ? ["--", "ls"] : [])
  }

  @Test func `every option that a verb's help offers is accepted by the verb`() throws {
    let verbs = try OfferedVerb.all()
    #expect(verbs.count == Self.forms.count)
    var checked = 0
    for verb in verbs {
      for option in verb.options {
        #expect(option.isFlag || !option.value.isEmpty, "\(verb.path) \(option.name)")
        guard let words = try Self.words(verb, option) else { continue }
        #expect(throws: Never.self, "\(words)") { _ = try Perfkit.parseAsRoot(words) }
        checked += 1
      }
    }
    // More than two thirds of the verbs have ten options or more.
    #expect(checked > 200, "\(checked)")
  }

  @Test func `the page of the command line lists every verb and option`() throws {
    let page = try #require(DocumentFile("Documentation/CommandLine.md")).text
    for verb in try OfferedVerb.all() {
      let name = verb.path.joined(separator: " ")
      #expect(["`", " "].contains { page.contains("`\(name)\($0)") }, "\(name)")
      for option in verb.options {
        #expect(
          ["`", " "].contains { page.contains("`--\(option.name)\($0)") },
          "\(name) --\(option.name)")
      }
    }
  }

  @Test func `a dry run of the gate accepts every option that its help offers`() throws {
    let repository = try TestRepository()
    let gate = try #require(OfferedVerb.all().first { $0.path == ["gate"] })
    #expect(gate.options.count > 25)
    // The repository has no suites of package-benchmark, and --collect has no plan.
    for option in gate.options where !["package-benchmark", "collect"].contains(option.name) {
      let form = option.name == "dry-run" ? [] : ["--dry-run"]
      let result = repository.perfkit.run(["gate"] + form + option.words)
      #expect(result.status == .done, "\(option.words): \(result.errors)")
    }
  }

  @Test func `a dry run of a revisit accepts every option that its help offers`() throws {
    let repository = try TestRepository()
    let base = try repository.git("rev-parse", "HEAD")
    try repository.write("words", "one\n")
    try repository.commit("Words")
    let candidate = try repository.git("rev-parse", "HEAD")
    func side(_ commit: String) -> Comparison.Side {
      Comparison.Side(
        run: "r", scenario: "work", variant: "default", label: nil, commit: commit,
        started: Timestamp(milliseconds: 0))
    }
    let comparison = Comparison(
      id: "c1", base: side(base), candidate: side(candidate), alpha: 0.02, seed: 1, metrics: [],
      functions: [], environmentDifferences: [], warnings: [], verdict: .improved)
    _ = try RunStore(path: repository.root + "/.perfkit/perfkit.sqlite").append(
      Decision(
        comparison, sentence: "", outcome: .kept, hypothesis: "", change: "", because: "So.",
        decided: Timestamp(milliseconds: 0)))
    let decide = try #require(OfferedVerb.all().first { $0.path == ["decide"] })
    let options = decide.options.filter { $0.section == "With --revisit" }
    #expect(options.count > 15)
    for option in options {
      let form = ["decide", "--revisit"] + (option.name == "dry-run" ? [] : ["--dry-run"])
      let result = repository.perfkit.run(form + option.words)
      #expect(result.status == .done, "\(option.words): \(result.errors)")
    }
  }

  @Test func `every environment variable that the sources read is in the help`() throws {
    let help = try TestCommand()("--help").output
    // The harness sets these for the processes that it starts.
    let internals = [
      "PERFKIT_CONTROL_FD", "PERFKIT_SEGMENT_FD", "PERFKIT_TASKS_FD", "PERFKIT_FOLLOW",
      "PERFKIT_LAUNCHED_BY", "PERFKIT_HOOK_OF", "PERFKIT_TEST", "PWD", "LD_PRELOAD",
      "SWIFT_DETERMINISTIC_HASHING",
    ]
    let reading =
      #/(?:variables|environment)\["([A-Z_]+)"|(?:getenv|variable)\("([A-Z_]+)"\)|"(PERFKIT_[A-Z_]+)"/#
    var found: Set<String> = []
    for folder in ["Sources/Programs/perfkit", "Sources/Toolkit", "Sources/Agent/PerfTesting"] {
      let root = DocumentFile.root.appendingPathComponent(folder)
      let files = try #require(
        FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        for match in try String(contentsOf: file, encoding: .utf8).matches(of: reading) {
          let name = match.1 ?? match.2 ?? match.3
          found.insert(String(name ?? ""))
        }
      }
    }
    #expect(
      found.isSuperset(of: ["PERFKIT", "PERFKIT_STORE", "DEBUGINFOD_URLS", "TMPDIR", "COLUMNS"]))
    // The name of a variable may begin another one's.
    let names = Set(help.split { $0 != "_" && !("A"..."Z").contains($0) }.map(String.init))
    for name in found.subtracting(internals).sorted() + BuildRecipe.flagVariables {
      #expect(names.contains(name), "\(name)")
    }
  }

  /// An option whose absence means a value has the value in its help.
  @Test func `options that have a default name it`() throws {
    for (path, name, value) in [
      ("run", "--rate", "the scenario's, or 1000"), ("run", "--signal", "PROF"),
      ("record", "--engine", "auto"), ("gate", "--against", "merge base"),
      ("flamegraph", "--fold", "none in flame graphs"), ("run", "--max-time", "no limit"),
      ("decide", "--ledger", "beside perfkit.yml"), ("record", "--duration", "process ends"),
      ("import profile", "--interval", "numbers of samples"),
      ("chart", "--kind", "frames"), ("diff", "--variant", "the scenario's"),
      ("hub submit diff", "--max-pairs", "diff"), ("hub submit diff", "--max-time", "diff"),
    ] {
      let verb = path.split(separator: " ").map(String.init)
      let help = try TestCommand().run(["help"] + verb).output
      let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let option = try #require(words.range(of: " \(name) <"))
      let text = words[option.upperBound...].prefix(300)
      #expect(text.contains("Default: "), "\(path) \(name): \(text)")
      #expect(text.contains(value), "\(path) \(name): \(text)")
    }
  }
}
