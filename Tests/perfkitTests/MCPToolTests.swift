import ArgumentParser
import PerfGate
import PerfReport
import Testing

@testable import perfkit

/// The command lines of the tools.
struct MCPToolTests {
  private static func words(_ tool: String, _ arguments: String) throws -> [String] {
    let tool = try #require(MCPTool.all.first { $0.name == tool })
    let arguments = try #require(JSONValue(parsing: arguments.utf8))
    return try tool.words(arguments, more: ["--format=json"])
  }

  @Test func `arguments become options with their value, and positional words come last`() throws {
    #expect(
      try Self.words(
        "run",
        """
        {"scenario": "scroll", "variant": "-v", "iterations": 3, "quick": true, "count": false, \
        "label": "a b; rm -rf /", "set": {"books": "-1", "a": "b"}}
        """) == [
          "run", "--no-report", "--variant=-v", "--iterations=3", "--quick",
          "--label=a b; rm -rf /", "--set=a=b", "--set=books=-1", "--format=json", "scroll",
        ])
    #expect(
      try Self.words("diff", #"{"base": "a", "candidate": "b", "variants": ["x", "y"]}"#) == [
        "diff", "--no-report", "--variant=x", "--variant=y", "--format=json", "a", "b",
      ])
    // A function's name may begin with a hyphen.
    #expect(
      try Self.words("annotate", #"{"run": "latest", "function": "- infix(_:_:)"}"#) == [
        "annotate", "--format=json", "--", "latest", "- infix(_:_:)",
      ])
    #expect(try Self.words("hot_functions", #"{"limit": 3}"#) == ["show", "--format=json"])
  }

  private static func function(_ name: String, isChanged: Bool? = nil) -> JSONValue {
    var members: [String: JSONValue] = ["name": .string(name)]
    if let isChanged { members["significant"] = .bool(isChanged) }
    return .object(members)
  }

  @Test func `a result has twenty functions, and those that changed come first`() throws {
    let names = (0..<30).map { "f\($0)" }
    let tool = try #require(MCPTool.all.first { $0.name == "diff" })
    let document = JSONValue.object([
      "verdict": "regressed",
      "functions": .array(names.map { Self.function($0, isChanged: $0 == "f29") }),
      "work": .object(["functions": .array(names.map { Self.function($0, isChanged: false) })]),
    ])
    let result = try tool.result(document, .object([:]))
    #expect(result["verdict"] == "regressed")
    let shown = try #require(result["functions"]).elements.compactMap { $0["name"]?.text }
    #expect(shown == ["f29"] + names.prefix(19))
    #expect(result["work"]?["functions"]?.elements.count == 20)
  }

  @Test func `hot_functions returns as many functions as requested, and nothing else`() throws {
    let tool = try #require(MCPTool.all.first { $0.name == "hot_functions" })
    let functions = (0..<30).map { Self.function("f\($0)") }
    let document = JSONValue.object([
      "id": "r1", "scenario": "work", "variant": "plain", "functions": .array(functions),
      "metrics": .array([]), "work": .null,
    ])
    #expect(
      try tool.result(document, .object(["limit": .int(3)]))
        == .object([
          "id": "r1", "scenario": "work", "variant": "plain",
          "functions": .array(Array(functions.prefix(3))),
        ]))
    #expect(throws: Failure.self) {
      _ = try tool.result(.object(["id": "r1", "functions": .null]), .object([:]))
    }
  }

  @Test func `the command accepts the words of every tool with all its arguments`() throws {
    for tool in MCPTool.all {
      var arguments: [String: JSONValue] = [:]
      for parameter in tool.parameters {
        arguments[parameter.name] =
          switch parameter.kind {
          case .positional: "x"
          case .option(let option):
            ["--max-time": "90s", "--margin": "2%"][option].map(JSONValue.string) ?? "-x"
          case .choice(_, let names): .string(names[0])
          case .number(_, let range), .limit(let range): .int(range.upperBound)
          case .flag: .bool(true)
          case .repeated(_, let most): .array(Array(repeating: "-x", count: most))
          case .settings: .object(["books": "2"])
          }
      }
      // --count refuses the options of times.
      let words = try tool.words(.object(arguments), more: ["--format=json", "--quiet"])
      #expect(throws: Never.self, "\(words)") { _ = try Perfkit.parseAsRoot(words) }
    }
  }

  @Test(arguments: [
    ("run", #"{"scenario": "--store=/tmp/x"}"#), ("run", #"{"scenario": "--"}"#),
    ("diff", #"{"base": "-x"}"#), ("run", #"{"scenario": ""}"#),
    ("run", #"{"scenario": "a\u0000b"}"#), ("run", #"{"scenario": "a", "label": "a\u0000b"}"#),
  ])
  func `a text that could become an option or be cut off is refused`(
    tool: String, arguments: String
  ) throws {
    #expect(throws: Failure.self) { _ = try Self.words(tool, arguments) }
  }

  @Test(arguments: [
    ("run", "{}"), ("run", #"{"scenario": 1}"#), ("run", #"{"scenario": null}"#), ("run", "[]"),
    ("run", #"{"scenario": "a", "unknown": 1}"#), ("list_runs", #"{"limit": "5"}"#),
    ("list_runs", #"{"limit": 0}"#), ("run", #"{"scenario": "a", "quick": "yes"}"#),
    ("run", #"{"scenario": "a", "set": {"books": 1}}"#), ("diff", #"{"variants": "a"}"#),
    ("diff", #"{"variants": ["a", "b", "c"]}"#), ("hot_functions", #"{"limit": 1000}"#),
    ("hot_functions", #"{"fold": "some"}"#),
  ])
  func `arguments that do not match the schema are refused`(
    tool: String, arguments: String
  ) throws {
    let error = #expect(throws: MCPError.self) { _ = try Self.words(tool, arguments) }
    #expect(error?.code == .invalidParameters)
  }
}
