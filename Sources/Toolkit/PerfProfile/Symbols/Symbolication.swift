internal import Foundation
internal import PerfModel

/// The process that reads symbols and debug information.
public enum Symbolication: Sendable {
  /// The calling process, which a damaged file may crash.
  case inProcess
  /// A child process, whose crash costs names and nothing else.
  case child(SymbolicationChild)

  /// The debuginfod servers from which missing debug files are fetched; nil to fetch none.
  var servers: DebugFileServers? {
    switch self {
    case .inProcess: nil
    case .child(let child): child.servers
    }
  }

  /// Answers a request.
  ///
  /// If the child fails, each file is tried by itself, so that only the names of the file that causes
  /// the failure are lost. These attempts share one time limit.
  func answer(_ request: SymbolRequest) -> SymbolAnswer {
    if request.files.isEmpty { return SymbolAnswer(files: []) }
    guard case .child(let child) = self else { return FileSymbolizer.answer(request) }
    do {
      return try child.answer(request)
    } catch {
      return answerByFile(request, child, error)
    }
  }

  private func answerByFile(
    _ request: SymbolRequest, _ child: SymbolicationChild, _ error: PerfProfileError
  ) -> SymbolAnswer {
    var result = SymbolAnswer(files: [])
    var failed: [(path: String, error: PerfProfileError)] = []
    let deadline = ContinuousClock.now + .seconds(child.seconds)
    for file in request.files {
      do throws(PerfProfileError) {
        if request.files.count == 1 { throw error }
        let answer = try child.limited(to: deadline - .now)
          .answer(SymbolRequest(files: [file], tools: request.tools))
        result.files += answer.files
        result.warnings += answer.warnings.filter { !result.warnings.contains($0) }
      } catch {
        result.files.append(nil)
        failed.append((file.path, error))
      }
    }
    guard let first = failed.first else { return result }
    let more = failed.count - 1
    let others = more > 0 ? " and of \(more) other \(more == 1 ? "file" : "files")" : ""
    result.warnings.append(
      RunWarning(
        code: "symbols.child",
        message: "cannot read the symbols of '\(first.path)'\(others): \(first.error.message)",
        remedy: "Their functions are shown by address. Check whether the files are damaged."))
    return result
  }
}

/// A child process that reads symbols and debug information within a time and a memory limit.
public struct SymbolicationChild: Sendable {
  /// The program, which reads a request from standard input and writes the answer to standard output.
  public var path: String
  /// The arguments of the program.
  public var arguments: [String]
  /// The time limit in seconds.
  public var seconds: Int
  /// The limit of the address space in bytes.
  public var memoryBytes: Int
  /// The servers of missing debug files, which the parent asks before; nil for none.
  public var servers: DebugFileServers?

  /// Creates a child process.
  public init(
    path: String, arguments: [String], seconds: Int = 120, memoryBytes: Int = 8 << 30,
    servers: DebugFileServers? = nil
  ) {
    self.path = path
    self.arguments = arguments
    self.seconds = seconds
    self.memoryBytes = memoryBytes
    self.servers = servers
  }

  /// Returns the same child with at most the remaining time, in whole seconds and at least one.
  func limited(to time: Duration) -> SymbolicationChild {
    var child = self
    child.seconds = min(seconds, max(1, Int(time.components.seconds)))
    return child
  }

  /// Answers a request in the child's process.
  ///
  /// - Parameter request: The bytes that the parent wrote.
  /// - Returns: The bytes that the parent reads.
  /// - Throws: `DecodingError` if the request is not valid.
  public static func answer(_ request: [UInt8]) throws -> [UInt8] {
    let request = try JSONDecoder().decode(SymbolRequest.self, from: Data(request))
    return try [UInt8](FileSymbolizer.answer(request).data())
  }

  /// Starts the child and returns its answer.
  ///
  /// - Throws: `tool` if the child fails, exceeds a limit or answers nonsense.
  func answer(_ request: SymbolRequest) throws(PerfProfileError) -> SymbolAnswer {
    let tool = Tool(
      path: path, arguments: arguments, seconds: seconds, memoryBytes: memoryBytes)
    do {
      let question = try JSONEncoder().encode(request)
      let answer = try tool.run(String(decoding: question, as: UTF8.self))
      return try SymbolAnswer(Data(answer), to: request)
    } catch let error as PerfProfileError {
      throw error
    } catch {
      throw .tool(path: path, reason: "its answer is not valid")
    }
  }
}
