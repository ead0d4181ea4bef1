import Foundation
import PerfReport
import PerfTestSupport
import Testing

@testable import perfkit

/// The server of the Model Context Protocol, as a client sees it.
struct MCPTests {
  private static func initialize(_ client: MCPClient) throws -> JSONValue {
    try client.request(
      0, "initialize",
      """
      {"protocolVersion": "2025-06-18", "capabilities": {}, \
      "clientInfo": {"name": "test", "version": "1"}}
      """)
    let answer = try #require(try client.next())
    try client.send(#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#)
    return answer
  }

  // MARK: - Protocol

  @Test func `the server introduces itself, answers pings and ends with its input`() throws {
    let client = try MCPClient(in: TemporaryFolder())
    let result = try #require(try Self.initialize(client)["result"])
    #expect(result["protocolVersion"] == "2025-06-18")
    #expect(result["capabilities"]?["tools"] != nil)
    #expect(result["serverInfo"]?["name"] == "perfkit")
    try client.request(1, "ping")
    #expect(
      try client.next() == .object(["jsonrpc": "2.0", "id": .int(1), "result": .object([:])]))
    #expect(try client.end() == 0)
    #expect(try client.next() == nil)
  }

  @Test func `a client of another revision is offered the revision of the server`() throws {
    let client = try MCPClient(in: TemporaryFolder())
    try client.request(0, "initialize", #"{"protocolVersion": "1999-01-01", "capabilities": {}}"#)
    #expect(try client.next()?["result"]?["protocolVersion"] == "2025-06-18")
  }

  @Test func `every tool describes its arguments by a JSON Schema`() throws {
    let client = try MCPClient(in: TemporaryFolder())
    try client.request(1, "tools/list")
    let tools = try #require(try client.next()?["result"]?["tools"]).elements
    #expect(
      tools.compactMap { $0["name"]?.text } == [
        "list_scenarios", "list_runs", "run", "diff", "try", "hot_functions", "annotate",
      ])
    for tool in tools {
      #expect(tool["inputSchema"]?["type"] == "object")
      #expect(tool["inputSchema"]?["additionalProperties"] == .bool(false))
      #expect(tool["description"]?.text?.isEmpty == false)
    }
  }

  @Test(arguments: [
    ("nonsense", -32700), ("{\"jsonrpc\": \"2.0\", ", -32700), ("[]", -32600), ("1", -32600),
    (#"{"id": 1, "method": "ping"}"#, -32600), (#"{"jsonrpc": "2.0", "id": 1}"#, -32600),
    (#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600),
    (#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#, -32600),
    (#"{"jsonrpc": "2.0", "id": 1, "method": 2}"#, -32600),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}"#, -32600),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}"#, -32601),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#, -32602),
    (#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rum"}}"#, -32602),
  ])
  func `a wrong message is answered with the code of JSON-RPC`(line: String, code: Int) throws {
    let client = try MCPClient(in: TemporaryFolder())
    try client.send(line)
    #expect(try client.next()?["error"]?["code"] == .int(code))
    // The server goes on.
    try client.request(2, "ping")
    #expect(try client.next()?["id"] == .int(2))
  }

  @Test func `a message of more than 4 MiB is an error, and ends the server`() throws {
    let client = try MCPClient(in: TemporaryFolder())
    try client.send(String(repeating: " ", count: 4 << 20) + "x")
    #expect(try client.next()?["error"]?["code"] == .int(-32700))
    #expect(try client.end() == 2)
  }

  @Test func `notifications and answers of the client are not answered`() throws {
    let client = try MCPClient(in: TemporaryFolder())
    try client.send(#"{"jsonrpc": "2.0", "method": "notifications/unknown"}"#)
    try client.send(#"{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_runs"}}"#)
    try client.send(#"{"jsonrpc": "2.0", "id": 5, "result": {}}"#)
    try client.send("")
    try client.request(6, "ping")
    #expect(try client.next()?["id"] == .int(6))
  }

  // MARK: - Tools

  @Test func `a scenario is listed, measured and found again by the tools`() throws {
    let command = try TestCommand.measuring("work", "[sh, -c, exit 0]")
    let client = try MCPClient(in: command.folder)
    try client.call(1, "list_scenarios")
    let scenarios = try #require(try client.next()?["result"])
    #expect(
      scenarios["structuredContent"]?["scenarios"]?.elements.first?["scenario"] == "work")
    #expect(scenarios["isError"] == .bool(false))
    try client.call(
      2, "run", #"{"scenario": "work", "iterations": 1, "label": "first -x", "max_time": "60s"}"#)
    let run = try #require(try client.next()?["result"]?["structuredContent"])
    #expect(run["schema"] == "perfkit.run/1")
    #expect(run["label"] == "first -x")
    #expect(run["iterations"]?.elements.count == 1)
    try client.call(3, "list_runs", #"{"limit": 5}"#)
    let runs = try #require(try client.next())
    #expect(runs["result"]?["structuredContent"]?["runs"]?.elements.first?["run"] == run["id"])
    // The text is the same JSON, for clients that do not know structured content.
    #expect(JSONValue(parsing: runs.content.utf8) == runs["result"]?["structuredContent"])
    #expect(!FileManager.default.fileExists(atPath: command.folder("Reports")))
  }

  @Test func `the message of a failed verb is the error of the tool`() throws {
    let command = try TestCommand.measuring("work", "[sh, -c, exit 0]")
    let client = try MCPClient(in: command.folder)
    try client.call(1, "run", #"{"scenario": "wrok"}"#)
    let answer = try #require(try client.next())
    #expect(answer["result"]?["isError"] == .bool(true))
    #expect(answer.content.contains("did you mean 'work'?"))
    try client.call(2, "run", #"{"scenario": "work", "max_time": "soon"}"#)
    let usage = try #require(try client.next())
    #expect(usage["result"]?["isError"] == .bool(true))
    #expect(usage.content.contains("--max-time"))
    try client.call(3, "annotate", #"{"run": "latest", "function": "f"}"#)
    #expect(try client.next()?["result"]?["isError"] == .bool(true))
  }

  @Test func `calls before the end of the input are answered`() throws {
    let command = try TestCommand.measuring("work", "[sh, -c, exit 0]")
    let client = try MCPClient(in: command.folder)
    for id in 1...3 { try client.call(id, "list_scenarios") }
    #expect(try client.end() == 0)
    for id in 1...3 { #expect(try client.next()?["id"] == .int(id)) }
    #expect(try client.next() == nil)
  }

  @Test func `progress is reported to clients that ask for it`() throws {
    let command = try TestCommand.measuring("work", "[sh, -c, exit 0]")
    let client = try MCPClient(in: command.folder)
    try client.request(
      1, "tools/call",
      #"{"name": "run", "arguments": {"scenario": "work"}, "_meta": {"progressToken": "t"}}"#)
    var progress = 0
    while let message = try client.next(), message["method"] == "notifications/progress" {
      progress += 1
      #expect(message["params"]?["progressToken"] == "t")
      #expect(message["params"]?["progress"] == .int(progress))
    }
    #expect(progress > 0)
  }

  // MARK: - Cancellation

  /// A scenario whose launch opens a witness and then sleeps.
  private static func sleeper() throws -> (command: TestCommand, witness: ProcessWitness) {
    let command = try TestCommand()
    let witness = try ProcessWitness(in: command.folder)
    try command.scenario(
      "sleep",
      """
      scenario: sleep
      summary: A command.
      command: [sh, -c, "\(witness.opening); printf x >&9; exec sleep 1000"]
      iterations: 2
      timeout: 1000s
      """)
    return (command, witness)
  }

  @Test func `a cancelled call ends its processes and is not answered`() throws {
    let (command, witness) = try Self.sleeper()
    let client = try MCPClient(in: command.folder)
    try client.call(1, "run", #"{"scenario": "sleep"}"#)
    // This call waits for the first one.
    try client.call(2, "list_runs")
    try client.call(3, "list_scenarios")
    #expect(witness.read() == 1)
    try client.request(4, "ping")
    #expect(try client.next()?["id"] == .int(4))
    for id in [2, 1] {
      try client.send(
        """
        {"jsonrpc": "2.0", "method": "notifications/cancelled", \
        "params": {"requestId": \(id), "reason": "test"}}
        """)
    }
    #expect(witness.read() == 0)
    #expect(try client.next()?["id"] == .int(3))
    #expect(try client.end() == 0)
    #expect(try client.next() == nil)
  }

  @Test func `a stopped server ends the processes that it measures`() throws {
    let (command, witness) = try Self.sleeper()
    let client = try MCPClient(in: command.folder)
    try client.call(1, "run", #"{"scenario": "sleep"}"#)
    #expect(witness.read() == 1)
    kill(client.processIdentifier, SIGTERM)
    #expect(witness.read() == 0)
    #expect(try client.end() == 130)
  }
}
