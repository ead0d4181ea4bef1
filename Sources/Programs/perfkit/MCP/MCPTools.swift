internal import PerfReport

extension MCPTool {
  /// The tools in the order of `tools/list`.
  static let all = [listScenarios, listRuns, run, diff, attempt, hotFunctions, annotate]

  private static let listScenarios = MCPTool(
    "list_scenarios", "List scenarios",
    "List the scenarios that can be measured, with their variants; an asterisk marks the default.",
    verb: ["list", "scenarios"], isReading: true, listKey: "scenarios")

  private static let listRuns = MCPTool(
    "list_runs", "List runs", "List the latest stored runs, newest first.", verb: ["list", "runs"],
    [
      Parameter(
        name: "limit", kind: .number("--limit", in: 1...1000), summary: "The number of runs: 50.")
    ], isReading: true, listKey: "runs")

  private static let run = MCPTool(
    "run", "Measure a scenario",
    "Measure a scenario in fresh processes and store the run. Returns metrics, budgets and the functions "
      + "with the most CPU time. Takes seconds to minutes. To compare two states use diff, not two runs.",
    verb: ["run", "--no-report"],
    [
      Parameter(
        name: "scenario", kind: .positional, summary: "The name of the scenario.",
        isRequired: true),
      variant,
      Parameter(
        name: "iterations", kind: .number("--iterations", in: 1...10_000),
        summary: "The number of launches. Default: the scenario's."),
      maxTime, quick,
      Parameter(
        name: "count", kind: .flag("--count"),
        summary: "Count instructions under valgrind instead of measuring times."),
      Parameter(
        name: "label", kind: .option("--label"), summary: "A name to refer to the run later."),
      Parameter(
        name: "set", kind: .settings("--set"),
        summary: "Parameters of the workload, e.g. {\"books\": \"200\"}."),
    ], isReading: false)

  private static let diff = MCPTool(
    "diff", "Compare two states",
    "Measure two revisions or two variants in pairs and report the changes. Each metric is regressed, "
      + "improved, equivalent, inconclusive or void. Takes minutes. Default: HEAD against the uncommitted "
      + "changes.",
    verb: ["diff", "--no-report"],
    [
      Parameter(
        name: "base", kind: .positional,
        summary: "A git revision, or BASE..CANDIDATE. Default: HEAD."),
      Parameter(
        name: "candidate", kind: .positional,
        summary: "A git revision; needs base. Default: WORKTREE, the uncommitted state."),
      scenario,
      Parameter(
        name: "variants", kind: .repeated("--variant", most: 2),
        summary: "One variant to measure, or two variants to compare with each other."),
      maxTime,
      Parameter(
        name: "max_pairs", kind: .number("--max-pairs", in: 11...2560),
        summary: "Stop after this many pairs."),
      quick,
    ], isReading: false)

  private static let attempt = MCPTool(
    "try", "Try a change",
    "Measure the uncommitted changes against the last kept state and decide: keep or drop. All tries of a "
      + "campaign share one error budget, so trying often is safe. Undo a dropped change before the next "
      + "try. Takes minutes.",
    verb: ["try"],
    [
      Parameter(
        name: "because", kind: .option("--because"), summary: "Why the change should help."),
      Parameter(
        name: "scenario", kind: .option("--scenario"),
        summary: "The scenario. Default: the latest campaign's."),
      variant,
      Parameter(
        name: "metric", kind: .option("--metric"),
        summary: "The metric to improve. Default: cpu.total, or wall."),
      Parameter(
        name: "margin", kind: .option("--margin"),
        summary: "The smallest gain to keep, e.g. 2% or 1ms. Default: 1%."),
      Parameter(
        name: "new_campaign", kind: .flag("--new"), summary: "Begin a new campaign at HEAD."),
      maxTime, quick,
    ], isReading: false)

  private static let hotFunctions = MCPTool(
    "hot_functions", "Functions with the most CPU time",
    "List the functions of a run with the most CPU time of their own, per launch in nanoseconds.",
    verb: ["show"],
    [
      Parameter(name: "run", kind: .positional, summary: "The run. Default: latest. \(references)"),
      Parameter(name: "limit", kind: .limit(1...100), summary: "The number of functions: 20."),
      fold,
    ], isReading: true, endsOptions: true)

  private static let annotate = MCPTool(
    "annotate", "CPU time of source lines",
    "List the source lines of a function with their CPU time. Needs debug information (-g).",
    verb: ["annotate"],
    [
      Parameter(
        name: "run", kind: .positional, summary: "The run. \(references)", isRequired: true),
      Parameter(
        name: "function", kind: .positional,
        summary: "The function's name as in hot_functions, or a part of it.", isRequired: true),
      fold,
    ], isReading: true, endsOptions: true)

  // MARK: - Common parameters

  private static let references =
    "An id, latest, latest~2, a label, a baseline, a commit, or scenario:variant."

  private static let scenario = Parameter(
    name: "scenario", kind: .option("--scenario"),
    summary: "The name of the scenario. Default: the only one.")

  private static let variant = Parameter(
    name: "variant", kind: .option("--variant"), summary: "The variant. Default: the scenario's.")

  private static let maxTime = Parameter(
    name: "max_time", kind: .option("--max-time"),
    summary: "Start no launch after this time, e.g. 90s or 5min. Builds are not counted.")

  private static let quick = Parameter(
    name: "quick", kind: .flag("--quick"), summary: "Use the scenario's small parameter set.")

  private static let fold = Parameter(
    name: "fold", kind: .choice("--fold", of: ["inlined", "library", "none"]),
    summary: "The code to count for its caller: inlined library code (default), library, none.")
}
