internal import FoundationEssentials

/// Addresses to functions, inlined functions, files and lines, by the toolchain's llvm-symbolizer.
///
/// One process for all addresses: its start and the reading of debug information dominate.
struct LLVMSymbolizer {
  /// An address of a file.
  struct Request: Hashable {
    let path: String
    let address: UInt64
  }

  /// A function as the tool names it, still mangled where it is Swift's.
  struct Frame: Hashable {
    let name: String
    let file: String?
    let line: Int
  }

  let path: String

  private struct Answer: Decodable {
    struct Symbol: Decodable {
      let function: String
      let file: String
      let line: Int

      enum CodingKeys: String, CodingKey {
        case function = "FunctionName"
        case file = "FileName"
        case line = "Line"
      }
    }

    let symbols: [Symbol]?

    enum CodingKeys: String, CodingKey {
      case symbols = "Symbol"
    }
  }

  /// Returns the frames of each address, innermost first; empty where the tool knows nothing.
  ///
  /// - Throws: `tool` when it fails or answers something else than it was asked.
  func symbolize(_ requests: [Request]) throws(PerfProfileError) -> [[Frame]] {
    if requests.isEmpty { return [] }
    let tool = Tool(
      path: path, arguments: ["--output-style=JSON", "--inlines", "--functions=linkage"],
      // With it set the tool would ask a server for each file without debug information.
      withoutVariables: ["DEBUGINFOD_URLS"])
    let question = requests.map { "\"\($0.path)\" 0x\(String($0.address, radix: 16))\n" }.joined()
    let lines = try tool.run(question).split(separator: UInt8(ascii: "\n"))
    guard lines.count == requests.count else {
      throw .tool(
        path: path, reason: "it answered \(lines.count) of \(requests.count) questions")
    }
    let decoder = JSONDecoder()
    var result: [[Frame]] = []
    result.reserveCapacity(lines.count)
    for line in lines {
      let answer: Answer
      do {
        answer = try decoder.decode(Answer.self, from: Data(line))
      } catch {
        throw .tool(path: path, reason: "its answer is not the JSON that it should be")
      }
      result.append((answer.symbols ?? []).compactMap(Self.frame))
    }
    return result
  }

  private static func frame(_ symbol: Answer.Symbol) -> Frame? {
    if symbol.function.isEmpty || symbol.function == "??" { return nil }
    // The compiler writes this for code that belongs to no file.
    let isNoFile = ["", "??", "<compiler-generated>"].contains(symbol.file)
    return Frame(
      name: symbol.function, file: isNoFile ? nil : symbol.file, line: max(0, symbol.line))
  }
}
