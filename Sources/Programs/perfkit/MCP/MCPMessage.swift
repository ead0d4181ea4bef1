internal import PerfReport

/// A message of a client: JSON-RPC 2.0 as the Model Context Protocol uses it.
enum MCPMessage: Equatable {
  case request(id: JSONValue, method: String, parameters: JSONValue)
  case notification(method: String, parameters: JSONValue)
  /// An answer; the server asks its client nothing, so that answers are ignored.
  case response
  /// A text that is no message, with the id of its request if it has one.
  case invalid(MCPError, id: JSONValue)

  /// Reads one line.
  init(_ line: some Sequence<UInt8>) {
    guard let value = JSONValue(parsing: line) else {
      self = .invalid(MCPError(.parse, "The line is not JSON in UTF-8."), id: nil)
      return
    }
    let id = value["id"]
    var knownID = JSONValue.null
    if let id, Self.isID(id) { knownID = id }
    func invalid(_ reason: String) -> MCPMessage {
      .invalid(MCPError(.invalidRequest, reason), id: knownID)
    }
    guard case .object(let members) = value, members["jsonrpc"] == "2.0" else {
      self = invalid("A message is one JSON object with \"jsonrpc\": \"2.0\".")
      return
    }
    guard let method = members["method"] else {
      let isAnswer = id != nil && (members["result"] != nil || members["error"] != nil)
      self = isAnswer ? .response : invalid("The message has no method.")
      return
    }
    guard case .string(let name) = method else {
      self = invalid("The method must be a string.")
      return
    }
    guard id.map(Self.isID) ?? true else {
      self = invalid("The id must be a string or an integer.")
      return
    }
    let parameters = members["params"] ?? .object([:])
    guard case .object = parameters else {
      self = invalid("The params must be an object.")
      return
    }
    self =
      id.map { .request(id: $0, method: name, parameters: parameters) }
      ?? .notification(method: name, parameters: parameters)
  }

  private static func isID(_ value: JSONValue) -> Bool {
    switch value {
    case .string, .int, .unsigned: true
    case .null, .bool, .number, .array, .object: false
    }
  }
}

/// An error of the protocol.
struct MCPError: Error, Equatable {
  /// The codes of JSON-RPC 2.0, section 5.1.
  enum Code: Int {
    case parse = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParameters = -32602
  }

  let code: Code
  let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The error in an answer.
  var json: JSONValue { .object(["code": .int(code.rawValue), "message": .string(message)]) }
}
