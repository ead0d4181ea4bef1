import PerfModel
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
    ["decide", "--revisit", "--iterations", "2"],
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
      "--scenarios says margins"
    ),
    (["--kind", "memory", "--scenarios", "Scenarios"], "--scenarios says margins"),
    (["--kind", "frames", "--allow-different-environments"], "goes with --against"),
  ])
  func `an option that a chart would pass over is refused`(words: [String], message: String) throws
  {
    let result = try TestCommand().run(["chart", "latest", "-o", "a.svg"] + words)
    #expect(result.status == .usage)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test(arguments: [
    ["compare", "c1m7zm678xw1", "--scenarios", "Scenarios"],
    ["compare", "c1m7zm678xw1", "--allow-different-environments"],
    ["report", "latest", "--allow-different-environments"], ["report", "--scenarios", "Scenarios"],
  ])
  func `an option about two runs is refused where one is named, or pairs`(words: [String]) throws {
    let result = try TestCommand().run(words)
    #expect(result.status == .usage)
    #expect(result.errors.contains("goes with two runs: "), "\(result.errors)")
  }

  /// They get as far as the store, which has no runs.
  @Test(arguments: [
    ["--kind", "history", "--metric", "wall", "--allow-different-environments"],
    ["--kind", "memory", "--against", "main", "--scenarios", "x"],
    ["--kind", "comparison", "--against", "main", "--allow-different-environments"],
  ])
  func `an option that a chart heeds is taken`(words: [String]) throws {
    let result = try TestCommand().run(["chart", "latest", "-o", "a.svg"] + words)
    #expect(result.status == .failed)
    #expect(result.errors.contains("there are no runs yet"), "\(result.errors)")
  }

  @Test func `a signal that cannot be used is refused with the reason and a list`() throws {
    let result = try TestCommand()("record", "--signal", "SEGV", "--", "ls")
    #expect(result.status == .usage)
    #expect(result.errors.contains("it reports crashes. Use PROF, USR1"))
  }

  @Test(arguments: [
    "run", "diff", "bisect", "store", "decide", "verify", "record", "compare", "gate", "baseline",
    "list", "show", "history", "report", "chart", "flamegraph", "export", "doctor", "selftest",
  ])
  func `the help of every verb shows an example`(verb: String) throws {
    let result = try TestCommand()("help", verb)
    #expect(result.status == .done)
    #expect(result.output.contains("Example:"))
    #expect(result.output.contains("perfkit \(verb)"))
    #expect(result.errors.isEmpty)
  }

  @Test func `help and version are data and exit with 0`() throws {
    let command = try TestCommand()
    #expect(command("--version").output == "0.1.0\n")
    #expect(command("--help").status == .done)
  }

  @Test func `an unknown verb names the nearest one`() throws {
    let command = try TestCommand()
    let result = command("recrod", "--", "ls")
    #expect(result.status == .usage)
    #expect(
      result.errors
        == "perfkit: there is no verb 'recrod'; did you mean 'record'? See 'perfkit --help'.\n")
    #expect(command("qqqq").errors == "perfkit: there is no verb 'qqqq'. See 'perfkit --help'.\n")
  }

  @Test func `colours are for terminals that want them`() throws {
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

  @Test func `an unknown scenario names the nearest one`() throws {
    let command = try TestCommand()
    try command.scenario("scroll-1000", "scenario: scroll-1000\n")
    let result = command("run", "scrol-1000")
    #expect(result.status == .failed)
    #expect(result.errors.contains("did you mean 'scroll-1000'?"))
  }

  @Test func `without a store there are no runs, and the way to one is named`() throws {
    let result = try TestCommand()("show", "latest")
    #expect(result.status == .failed)
    #expect(result.errors.contains("there are no runs yet"))
    #expect(result.errors.contains("perfkit run SCENARIO"))
  }

  @Test func `a gate without any scenario is an error, not green`() throws {
    let result = try TestCommand()("gate", "--budgets-only")
    #expect(result.status == .failed)
    #expect(result.errors.contains("there is nothing to gate"))
    let both = try TestCommand()("gate", "--budgets-only", "--against", "main")
    #expect(both.status == .usage)
    #expect(both.errors.contains("--budgets-only compares with nothing: leave out --against."))
  }

  @Test func `several outcomes exit with the one that matters most`() {
    // 1 before 2 before 4 before 3 before 0.
    #expect(ExitStatus.worst([.done, .inconclusive, .void]) == .void)
    #expect(ExitStatus.worst([.void, .failed, .done]) == .failed)
    #expect(ExitStatus.worst([.failed, .gateFailed, .inconclusive]) == .gateFailed)
    #expect(ExitStatus.worst([]) == .done)
  }

  @Test func `ids of runs sort by time and are no commits`() {
    let first = RunIdentifier.make(at: Timestamp(milliseconds: 1_795_227_498_000))
    let second = RunIdentifier.make(at: Timestamp(milliseconds: 1_795_227_498_001))
    #expect(first < second)
    #expect(first.count == 12)
    #expect(first.hasPrefix("r"))
  }
}
