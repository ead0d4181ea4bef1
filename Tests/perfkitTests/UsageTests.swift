import Foundation
import PerfGate
import PerfModel
import PerfTestSupport
import Testing

@testable import perfkit

struct UsageTests {
  @Test(arguments: [
    ["run"], ["run", "x", "--iterations", "0"], ["run", "x", "--rate", "99999"],
    ["run", "x", "--max-time", "soon"], ["list", "everything"], ["compare"],
    ["list", "comparisons", "--limit=-1"], ["flamegraph", "--live", "end", "-o", "x"],
    ["flamegraph", "--allocations", "--state", "waiting", "-o", "x"],
    ["gate", "--inconclusive", "maybe"], ["show", "--format", "yaml"], ["export", "latest"],
    ["export", "--to", "perf", "-o", "x"], ["export", "--to", "csv", "--launch", "1", "-o", "x"],
    ["record"], ["record", "ls"], ["record", "--rate", "0", "--", "ls"],
    ["record", "--signal", "KILL", "--", "ls"], ["run", "x", "--signal", "33"],
    ["record", "--stack-size", "5", "--", "ls"], ["selftest", "--comparisons", "0"],
    ["selftest", "--launch-time", "1s"], ["selftest", "--max-pairs", "10"],
    ["decide", "--revisit", "--iterations", "2"], ["diff", "--iterations", "2"],
    ["gate", "--iterations", "2"], ["gate", "--warmup", "0"],
    ["run", "x", "--cache-sim"], ["run", "x", "--count", "--allocations"],
    ["run", "x", "--count", "--rate", "100"],
    ["bisect", "a", "b", "--scenario", "s", "--metric", "wall", "--warmup", "2"],
  ])
  func `a wrong command line exits with 64`(words: [String]) throws {
    let result = try TestCommand().run(words)
    #expect(result.status == .usage)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("Usage:"))
  }

  @Test(arguments: [
    (["--kind", "history", "--metric", "wall", "--against", "main"], "leave out --against"),
    (
      ["--kind", "history", "--metric", "wall", "--scenarios", "Scenarios"],
      "--scenarios needs --against"
    ),
    (["--kind", "memory", "--scenarios", "Scenarios"], "--scenarios needs --against"),
    (["--kind", "frames", "--allow-different-environments"], "needs --against or --kind history"),
  ])
  func `an option that a chart would ignore is refused`(words: [String], message: String) throws {
    let result = try TestCommand().run(["chart", "latest", "-o", "a.svg"] + words)
    #expect(result.status == .usage)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test(arguments: [
    ["compare", "c1m7zm678xw1", "--scenarios", "Scenarios"],
    ["compare", "c1m7zm678xw1", "--allow-different-environments"],
    ["report", "latest", "--allow-different-environments"], ["report", "--scenarios", "Scenarios"],
  ])
  func `an option for two runs is refused for one run or for pairs`(words: [String]) throws {
    let result = try TestCommand().run(words)
    #expect(result.status == .usage)
    #expect(result.errors.contains("needs two runs: "), "\(result.errors)")
  }

  /// The command fails only because the store has no runs.
  @Test(arguments: [
    ["--kind", "history", "--metric", "wall", "--allow-different-environments"],
    ["--kind", "memory", "--against", "main", "--scenarios", "x"],
    ["--kind", "comparison", "--against", "main", "--allow-different-environments"],
  ])
  func `an option that a chart uses is accepted`(words: [String]) throws {
    let result = try TestCommand().run(["chart", "latest", "-o", "a.svg"] + words)
    #expect(result.status == .failed)
    #expect(result.errors.contains("there are no runs yet"), "\(result.errors)")
  }

  @Test func `an unusable signal is refused with the reason and the usable signals`() throws {
    let result = try TestCommand()("record", "--signal", "SEGV", "--", "ls")
    #expect(result.status == .usage)
    #expect(result.errors.contains("it reports crashes. Use PROF, USR1"))
  }

  @Test func `help and version go to standard output and exit with 0`() throws {
    let command = try TestCommand()
    #expect(command("--version").output == "0.1.0\n")
    #expect(command("--help").status == .done)
  }

  @Test func `the error of an unknown verb suggests the nearest one`() throws {
    let command = try TestCommand()
    let result = command("recrod", "--", "ls")
    #expect(result.status == .usage)
    #expect(
      result.errors
        == "perfkit: there is no verb 'recrod'; did you mean 'record'? See 'perfkit --help'.\n")
    #expect(command("qqqq").errors == "perfkit: there is no verb 'qqqq'. See 'perfkit --help'.\n")
    #expect(command("help", "recrod").errors == result.errors)
    #expect(command("help", "record").status == .done)
  }

  @Test func `only terminals without NO_COLOR show colours`() throws {
    let command = try TestCommand()
    #expect(!command("list", "metrics").output.contains("\u{1B}"))
    for (variables, words, isColoured) in [
      ([:], [], true), (["NO_COLOR": "1"], [], false), (["TERM": "dumb"], [], false),
      ([:], ["--no-color"], false),
    ] as [([String: String], [String], Bool)] {
      let result = command.run(
        ["list", "metrics"] + words, variables: variables, hasColour: true)
      #expect(result.output.contains("\u{1B}") == isColoured, "\(variables) \(words)")
    }
  }

  @Test func `the error of an unknown scenario suggests the nearest one`() throws {
    let command = try TestCommand()
    try command.scenario("scroll-1000", "scenario: scroll-1000\n")
    let result = command("run", "scrol-1000")
    #expect(result.status == .failed)
    #expect(result.errors.contains("did you mean 'scroll-1000'?"))
  }

  @Test func `the error without a store names the command that makes runs`() throws {
    let result = try TestCommand()("show", "latest")
    #expect(result.status == .failed)
    #expect(result.errors.contains("there are no runs yet"))
    #expect(result.errors.contains("perfkit run SCENARIO"))
  }

  @Test func `the error of an empty store does not say that the file is missing`() throws {
    let command = try TestCommand()
    try Data().write(to: URL(fileURLWithPath: command.folder("empty.sqlite")))
    let result = command("list", "runs", "--store", "empty.sqlite")
    #expect(result.status == .failed)
    #expect(result.says("there are no runs yet in run store"), "\(result.errors)")
    #expect(!result.says("does not exist"))
  }

  @Test(arguments: [("5", true), ("0.5", true), ("5x", false)])
  func `the error of a duration without a unit says that the unit is missing`(
    text: String, lacksUnit: Bool
  ) throws {
    let result = try TestCommand()("run", "x", "--max-time", text)
    #expect(result.status == .usage)
    #expect(
      result.says("The value '\(text)' is invalid for '--max-time <duration>'"), "\(result.errors)")
    #expect(result.says(": its unit is missing, e.g. \(text)s") == lacksUnit, "\(result.errors)")
  }

  @Test func `a command in a folder below the project names the project's folder`() throws {
    let repository = try TestRepository()
    try FileManager.default.createDirectory(
      atPath: repository.root + "/a/deep", withIntermediateDirectories: true)
    for words in [["run", "work"], ["list", "scenarios"]] {
      let result = repository.perfkit.run(words, below: "a/deep")
      #expect(result.status == .failed)
      #expect(
        result.says("The project is in '\(repository.root)': run the command there"),
        "\(result.errors)")
    }
  }

  @Test func `a gate without any scenario fails`() throws {
    let result = try TestCommand()("gate", "--budgets-only")
    #expect(result.status == .failed)
    #expect(result.errors.contains("there are no scenarios in"))
    let both = try TestCommand()("gate", "--budgets-only", "--against", "main")
    #expect(both.status == .usage)
    #expect(both.errors.contains("--budgets-only compares with nothing: leave out --against."))
  }

  @Test func `a message never contains control characters of the text that it quotes`() throws {
    let result = try TestCommand()("run", "\u{1B}[31mred\u{7}\u{9B}2J")
    #expect(result.status == .failed)
    #expect(result.errors.contains(" [31mred  2J"))
    let controls = result.errors.unicodeScalars.filter { $0.properties.generalCategory == .control }
    #expect(controls.allSatisfy { $0 == "\n" })
  }

  @Test(arguments: ["x.png", "a/b.pdf", "f.html"])
  func `a flame graph is written as SVG alone`(name: String) throws {
    let result = try TestCommand()("flamegraph", "--output", name)
    #expect(result.status == .usage)
    let stem = (name as NSString).deletingPathExtension
    #expect(result.says("pass --output \(stem).svg"))
  }

  @Test func `a comparison needs two different runs`() throws {
    let command = try TestCommand()
    let run = command(
      "run", "--iterations", "1", "--warmup", "0", "--no-report", "--no-profile", "--", "true")
    #expect(run.status == .done, "\(run.errors)")
    let result = command("compare", "latest")
    #expect(result.status == .usage)
    #expect(result.says("'latest' is a run, not a comparison of pairs"))
    #expect(result.says("'perfkit compare latest~1 latest'"), "\(result.errors)")
    let report = command("compare", "page.html")
    #expect(report.status == .usage && report.says("'page.html' is one report"), "\(report.errors)")
    for words in [
      ["compare", "latest", "latest"], ["report", "latest", "latest"],
      ["chart", "latest", "--against", "latest", "--output", "a.svg"],
    ] {
      let same = command.run(words)
      #expect(same.status == .usage, "\(words): \(same.output)")
      #expect(same.says("and a run cannot differ from itself"), "\(same.errors)")
    }
    let unknown = command("compare", "nothing")
    #expect(unknown.status == .failed && unknown.says("no comparison has the id 'nothing'"))
  }

  @Test func `a report of too many references names them`() throws {
    let result = try TestCommand()("report", "a", "b", "--output", "c.html")
    #expect(result.status == .usage)
    #expect(
      result.says("not 3: a, b and c.html. Pass the folder of the report as --report."),
      "\(result.errors)")
  }

  @Test func `workloads are listed in a line each, and with their parameters on request`() throws {
    let command = try TestCommand()
    let short = command("list", "workloads", "--worker", "BookWorkloads")
    let lines = short.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("book.scroll") })
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(!short.output.contains("existence"))
    let long = command("list", "workloads", "--worker", "BookWorkloads", "--verbose")
    #expect(long.output.contains("existence"))
    let rows = command("list", "workloads", "--worker", "BookWorkloads", "--format", "csv")
    #expect(rows.output.hasPrefix("workload,parameter,type,default,summary\nbook."))
    #expect(command("help", "list").prints("the parameters of listed workloads"))
  }
}
