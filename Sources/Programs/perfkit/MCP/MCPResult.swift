internal import PerfGate
internal import PerfReport

/// The results of calls of tools.
enum MCPResult {
  /// The exit statuses of verbs that judged: regressed, inconclusive and void are results, not errors.
  private static let judged: Set<Int32> = [
    ExitStatus.done.rawValue, ExitStatus.gateFailed.rawValue, ExitStatus.inconclusive.rawValue,
    ExitStatus.void.rawValue,
  ]

  /// Returns the result of an ended verb: its JSON, or its messages as an error.
  ///
  /// - Parameters:
  ///   - tool: The called tool.
  ///   - arguments: The arguments of the call.
  ///   - child: The ended child.
  ///   - status: Its exit status.
  ///   - isReported: Whether the client has its messages.
  /// - Returns: The result.
  static func of(
    _ tool: MCPTool, _ arguments: JSONValue, _ child: ChildProgram, status: Int32, isReported: Bool
  ) -> JSONValue {
    let messages = child.messages.joined(separator: "\n")
    guard let document = JSONValue(parsing: child.text) else {
      let text = String(decoding: child.text, as: UTF8.self)
      return failed(
        [messages, text].filter { !$0.isEmpty } + ["The verb exited with \(status)."])
    }
    let isError = !judged.contains(status)
    do {
      let result = try tool.result(document, arguments)
      let texts = [result.text(isIndented: false), isError || !isReported ? messages : ""]
      return .object([
        "content": content(texts.filter { !$0.isEmpty }), "structuredContent": result,
        "isError": .bool(isError),
      ])
    } catch {
      return failed([Failure(error).message])
    }
  }

  /// Returns the result of a call that failed, with the reasons.
  static func failed(_ texts: [String]) -> JSONValue {
    .object(["content": content(texts), "isError": .bool(true)])
  }

  private static func content(_ texts: [String]) -> JSONValue {
    .array(texts.map { .object(["type": "text", "text": .string($0)]) })
  }
}
