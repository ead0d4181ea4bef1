import PerfModel
import PerfScenario
import Testing

@testable import PerfGate

/// The scenarios of commands of the command line.
struct DirectCommandTests {
  @Test(arguments: [
    ([["./import", "books.csv"]], "import", ["books.csv"]),
    ([["/bin/true"]], "true", ["default"]),
    (
      [["sort", "--parallel=1"], ["sort", "--parallel=2"]], "sort", ["parallel-1", "parallel-2"]
    ),
    ([["old/tool", "x"], ["new/tool", "x"]], "tool", ["old-tool-x", "new-tool-x"]),
    ([["./old"], ["./new"]], "commands", ["old", "new"]),
    ([["./a", "?"], ["./a", "!"]], "a", ["base", "candidate"]),
    ([["./a", "1"], ["./a", "1"]], "a", ["1", "1"]),
    ([["["]], "command", ["default"]),
  ])
  func `commands are named after their program and their different words`(
    commands: [[String]], name: String, variants: [String]
  ) {
    let scenarios = DirectCommand.scenarios(of: commands, Scenario.CommandSettings())
      .map(\.scenario)
    #expect(Set(scenarios.map(\.name)) == [name])
    #expect(scenarios.map(\.defaultVariant) == variants)
    #expect(scenarios.map(\.worker) == commands.map { Scenario.Worker.command($0) })
  }

  @Test func `a command has another name than the project's scenario files`() {
    let scenarios = DirectCommand.scenarios(
      of: [["/usr/bin/sort", "a"], ["./sort", "a"]], Scenario.CommandSettings(),
      besides: ["list", "sort"])
    #expect(Set(scenarios.map(\.scenario.name)) == ["sort-command"])
  }

  @Test func `a long command has a short name without a point at its end`() {
    let words = [String(repeating: "a", count: 39) + ".txt"]
    #expect(DirectCommand.name(of: words, or: "default") == String(repeating: "a", count: 39))
  }
}
