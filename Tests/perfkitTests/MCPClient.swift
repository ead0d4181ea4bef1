import Foundation
import PerfReport
import PerfTestSupport
import Testing

@testable import perfkit

/// A client of `perfkit mcp`, which runs as a process of its own.
final class MCPClient {
  /// The folder, which exists as long as the server may run.
  private let folder: TemporaryFolder
  private let server = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  /// Starts the server in a folder.
  init(in folder: TemporaryFolder) throws {
    self.folder = folder
    server.executableURL = URL(fileURLWithPath: TestPrograms.folder + "/perfkit")
    server.arguments = ["mcp"]
    server.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    server.standardInput = input
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    try server.run()
  }

  deinit { if server.isRunning { kill(server.processIdentifier, SIGKILL) } }

  var processIdentifier: Int32 { server.processIdentifier }

  /// Sends a line.
  func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Sends a request, whose parameters are JSON.
  func request(_ id: Int, _ method: String, _ parameters: String = "{}") throws {
    try send(
      #"{"jsonrpc": "2.0", "id": \#(id), "method": "\#(method)", "params": \#(parameters)}"#)
  }

  /// Calls a tool, whose arguments are JSON.
  func call(_ id: Int, _ tool: String, _ arguments: String = "{}") throws {
    try request(id, "tools/call", #"{"name": "\#(tool)", "arguments": \#(arguments)}"#)
  }

  /// Returns the next message; nil after the last one.
  func next() throws -> JSONValue? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[..<end]
        buffer.removeSubrange(...end)
        let message: JSONValue = try #require(
          JSONValue(parsing: line), "\(String(decoding: line, as: UTF8.self))")
        return message
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return nil }
      buffer += more
    }
  }

  /// Ends the input and returns the exit status.
  func end() throws -> Int32 {
    try input.fileHandleForWriting.close()
    server.waitUntilExit()
    return server.terminationStatus
  }
}

extension JSONValue {
  /// The texts of a tool's result, each in a line.
  var content: String {
    (self["result"]?["content"]?.elements ?? []).compactMap { $0["text"]?.text }
      .joined(separator: "\n")
  }
}
