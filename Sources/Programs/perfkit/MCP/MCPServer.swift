internal import Foundation
internal import Glibc
internal import PerfGate
internal import PerfModel
internal import PerfReport

/// A server of the Model Context Protocol, revision 2025-06-18, over standard input and output.
///
/// Each message is a line (modelcontextprotocol.io/specification/2025-06-18/basic/transports). A tool runs a
/// verb in a child process, one at a time in the order of the calls, because two measurements at a time would
/// disturb each other. The messages between are handled meanwhile.
struct MCPServer {
  static let protocolVersion = "2025-06-18"
  /// The longest message in bytes.
  private static let longestLine = 4 << 20

  private static let instructions = """
    PerfKit measures programs. To judge a change, use diff or try, never two runs: they measure both sides in \
    turn, and name the functions that changed. Start with list_scenarios; find costs with run, hot_functions \
    and annotate. Measuring takes seconds to minutes, and other work on the machine disturbs it.
    """

  /// A call that is running or waiting.
  private struct Call {
    let id: JSONValue
    let tool: MCPTool
    let arguments: JSONValue
    let words: [String]
    let progressToken: JSONValue?
  }

  private let input: Int32
  private let output: @Sendable (String) -> Void
  private let program: ChildProgram.Program
  private let storePath: String?
  private let isStopped: @Sendable () -> Bool

  private var buffer: [UInt8] = []
  private var isOpen = true
  /// Whether the client still reads the answers.
  private var isRead = true
  private var status = ExitStatus.done
  private var waiting: [Call] = []
  private var running: (call: Call, child: ChildProgram, progress: Int, isCancelled: Bool)?

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - input: The descriptor of the messages.
  ///   - program: The command and its surroundings.
  ///   - store: The path of the run store; nil for the command's default.
  ///   - isStopped: Whether the server must end.
  ///   - output: Writes a line.
  init(
    input: Int32, program: ChildProgram.Program, store: String?,
    isStopped: @escaping @Sendable () -> Bool, output: @escaping @Sendable (String) -> Void
  ) {
    self.input = input
    self.program = program
    storePath = store
    self.isStopped = isStopped
    self.output = output
  }

  /// Serves until the input has ended and all its calls are answered, the output is closed, or the server is
  /// stopped.
  ///
  /// - Returns: The exit status: failed after a message that is too long.
  mutating func serve() -> ExitStatus {
    while isOpen || running != nil {
      if isStopped() { abandon() }
      let descriptors = (isOpen ? [input] : []) + (running?.child.descriptors ?? [])
      var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      // Without events, the end of the reader is reported all the same.
      if isRead { polled.append(pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)) }
      // A verb that does not stop is looked at again each second.
      guard poll(&polled, nfds_t(polled.count), 1000) > 0 else {
        finishChild()
        continue
      }
      for ready in polled where ready.revents != 0 {
        switch ready.fd {
        case STDOUT_FILENO:
          isRead = false
          abandon()
        case input where isOpen: readInput()
        default: readChild(ready.fd)
        }
      }
      finishChild()
    }
    return isStopped() ? .interrupted : status
  }

  /// Accepts no more messages, and stops the running call.
  private mutating func abandon() {
    (isOpen, waiting) = (false, [])
    cancelRunning()
  }

  // MARK: - Messages

  private mutating func readInput() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(input, &bytes, bytes.count)
    if count < 0, errno == EINTR { return }
    isOpen = count > 0
    buffer += bytes.prefix(max(count, 0))
    // The last line may have no end.
    if !isOpen { buffer.append(UInt8(ascii: "\n")) }
    while let end = buffer.firstIndex(of: UInt8(ascii: "\n")), end <= Self.longestLine {
      let line = buffer[..<end]
      buffer.removeSubrange(...end)
      if line.contains(where: { $0 > UInt8(ascii: " ") }) { handle(MCPMessage(line)) }
    }
    guard buffer.count > Self.longestLine else { return }
    answer(
      nil, MCPError(.parse, "A message is one line of at most \(Self.longestLine) bytes."))
    status = .failed
    abandon()
  }

  private mutating func handle(_ message: MCPMessage) {
    switch message {
    case .response: break
    case .invalid(let error, let id): answer(id, error)
    case .notification("notifications/cancelled", let parameters):
      if let id = parameters["requestId"] { cancel(id) }
    case .notification: break
    case .request(let id, let method, let parameters):
      do {
        if let result = try result(of: method, parameters, id: id) { answer(id, result) }
      } catch let error as MCPError {
        answer(id, error)
      } catch {
        answer(id, MCPResult.failed([Failure(error).message]))
      }
    }
  }

  /// Returns the result of a request; nil for a call, which is answered at its end.
  private mutating func result(
    of method: String, _ parameters: JSONValue, id: JSONValue
  ) throws -> JSONValue? {
    switch method {
    case "initialize":
      return .object([
        "protocolVersion": .string(Self.protocolVersion),
        "capabilities": .object(["tools": .object(["listChanged": .bool(false)])]),
        "serverInfo": .object([
          "name": "perfkit", "title": "PerfKit", "version": .string(perfkitVersion),
        ]),
        "instructions": .string(Self.instructions),
      ])
    case "ping": return .object([:])
    case "tools/list": return .object(["tools": .array(MCPTool.all.map(\.json))])
    case "tools/call":
      try enqueue(parameters, id: id)
      return nil
    default: throw MCPError(.methodNotFound, "This server has no method '\(method)'.")
    }
  }

  private func answer(_ id: JSONValue, _ result: JSONValue) {
    write(["id": id, "result": result])
  }

  private func answer(_ id: JSONValue, _ error: MCPError) {
    write(["id": id, "error": error.json])
  }

  private func write(_ members: [String: JSONValue]) {
    var members = members
    members["jsonrpc"] = "2.0"
    output(JSONValue.object(members).text(isIndented: false) + "\n")
  }

  // MARK: - Calls

  private mutating func enqueue(_ parameters: JSONValue, id: JSONValue) throws {
    guard case .string(let name)? = parameters["name"] else {
      throw MCPError(.invalidParameters, "The call has no name of a tool.")
    }
    guard let tool = MCPTool.all.first(where: { $0.name == name }) else {
      throw MCPError(
        .invalidParameters,
        "Unknown tool: \(name)" + NearestName.hint(for: name, among: MCPTool.all.map(\.name)))
    }
    let arguments = parameters["arguments"] ?? .object([:])
    let token = parameters["_meta"]?["progressToken"]
    var more = ["--format=json"]
    if let storePath { more.append("--store=\(storePath)") }
    // The lines of progress become notifications, if the client asks for them.
    more.append(token == nil ? "--quiet" : "--verbose")
    let words = try tool.words(arguments, more: more)
    waiting.append(
      Call(id: id, tool: tool, arguments: arguments, words: words, progressToken: token))
    startNext()
  }

  private mutating func startNext() {
    while running == nil, !waiting.isEmpty {
      let call = waiting.removeFirst()
      do {
        running = (call, try ChildProgram(program, call.words), 0, false)
      } catch {
        answer(
          call.id,
          MCPResult.failed(["cannot start '\(program.path)': \(Failure(error).message)"]))
      }
    }
  }

  private mutating func cancel(_ id: JSONValue) {
    waiting.removeAll { $0.id == id }
    if running?.call.id == id { cancelRunning() }
  }

  /// Stops the running call, which gets no answer.
  private mutating func cancelRunning() {
    running?.isCancelled = true
    running?.child.stop()
  }

  private mutating func readChild(_ descriptor: Int32) {
    guard let lines = running?.child.read(descriptor), let call = running?.call,
      let token = call.progressToken, running?.isCancelled == false
    else { return }
    for line in lines {
      running?.progress += 1
      write([
        "method": "notifications/progress",
        "params": .object([
          "progressToken": token, "progress": .int(running?.progress ?? 0),
          "message": .string(line),
        ]),
      ])
    }
  }

  private mutating func finishChild() {
    guard let (call, child, _, isCancelled) = running, let status = child.exitStatus() else {
      if running?.isCancelled == true { running?.child.stop() }
      return
    }
    running = nil
    // The specification forbids an answer to a cancelled request.
    if !isCancelled {
      answer(
        call.id,
        MCPResult.of(
          call.tool, call.arguments, child, status: status, isReported: call.progressToken != nil))
    }
    startNext()
  }
}
