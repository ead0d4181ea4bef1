internal import ArgumentParser
internal import Glibc
internal import PerfGate

/// The verb `perfkit mcp`.
struct MCPVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve the verbs to an agent by the Model Context Protocol.",
    discussion: """
      Reads JSON-RPC 2.0 from standard input and answers on standard output, one message per line. The \
      protocol is revision \(MCPServer.protocolVersion). The tools are:
      \(MCPTool.all.map { "  \($0.name): \($0.title)" }.joined(separator: "\n"))

      Verbs run in the current folder, one at a time, because two measurements would disturb each other. \
      The calls before the end of standard input are answered.

      Example:
        perfkit mcp
      """)

  @Option(
    help: ArgumentHelp(
      "Use this run store. Default: PERFKIT_STORE or .perfkit/perfkit.sqlite.", valueName: "path"))
  var store: String?

  func perform(_ context: Context) throws -> ExitStatus {
    let workspace = context.workspace
    var server = MCPServer(
      input: STDIN_FILENO,
      program: ChildProgram.Program(
        path: workspace.program, directory: workspace.workingDirectory,
        variables: workspace.variables),
      store: store, isStopped: workspace.isCancelled,
      output: { context.console.write($0) })
    return server.serve()
  }
}
