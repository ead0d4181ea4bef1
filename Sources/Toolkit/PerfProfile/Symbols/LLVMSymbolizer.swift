/// Symbolication by the toolchain's llvm-symbolizer.
///
/// Few processes answer all questions: their start and the reading of debug information dominate.
struct LLVMSymbolizer {
  /// An address of a file.
  struct Request: Hashable {
    let path: String
    let address: UInt64
  }

  let path: String

  /// Finds the functions at addresses.
  ///
  /// - Parameters:
  ///   - requests: The addresses, sorted by file and address.
  ///   - processes: The number of processes that run at once, each for an equal share.
  /// - Returns: The frames of each address, innermost first; empty if the tool knows nothing.
  /// - Throws: `tool` if the tool fails or its answer does not match the questions.
  func symbolize(
    _ requests: [Request], processes: Int
  ) throws(PerfProfileError) -> [[StackFrame]] {
    let answers = requests.parts(processes).concurrentMap { part in
      Result { () throws(PerfProfileError) in try ask(part) }
    }
    var frames: [[StackFrame]] = []
    for answer in answers { frames += try answer.get() }
    return frames
  }

  private func ask(_ requests: ArraySlice<Request>) throws(PerfProfileError) -> [[StackFrame]] {
    let tool = Tool(
      path: path, arguments: ["--output-style=LLVM", "--inlines", "--functions=linkage"])
    let question = requests.map { "\"\($0.path)\" 0x\(String($0.address, radix: 16))\n" }.joined()
    let answers = Self.read(try tool.run(question))
    guard answers.count == requests.count else {
      throw .tool(
        path: path, reason: "it answered \(answers.count) of \(requests.count) questions")
    }
    return answers
  }

  /// Parses the tool's output: per frame a line with the function and one with `file:line:column`, then
  /// an empty line after the last frame of an address.
  ///
  /// The tool's JSON output takes longer to parse than the tool takes to answer.
  static func read(_ text: [UInt8]) -> [[StackFrame]] {
    var answers: [[StackFrame]] = []
    var frames: [StackFrame] = []
    var function: ArraySlice<UInt8>?
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if let name = function {
        if let frame = frame(name, at: line) { frames.append(frame) }
        function = nil
      } else if line.isEmpty {
        answers.append(frames)
        frames = []
      } else {
        function = line
      }
    }
    // The text ends with a line break, after which `split` finds one more empty line.
    return answers.dropLast()
  }

  private static func frame(
    _ function: ArraySlice<UInt8>, at place: ArraySlice<UInt8>
  ) -> StackFrame? {
    let name = String(decoding: function, as: UTF8.self)
    if name.isEmpty || name == "??" { return nil }
    // A path may contain colons, so count them from the end.
    let colons = place.indices.filter { place[$0] == UInt8(ascii: ":") }.suffix(2)
    guard let first = colons.first, let last = colons.last, first < last else {
      return StackFrame(name: name, file: nil, line: 0)
    }
    let file = String(decoding: place[..<first], as: UTF8.self)
    let isNoFile = file.isEmpty || file == "??" || isCompilerGenerated(file)
    let line = Int(String(decoding: place[(first + 1)..<last], as: UTF8.self)) ?? 0
    return StackFrame(name: name, file: isNoFile ? nil : file, line: max(0, line))
  }

  /// Returns whether a path is the compiler's mark for code without a source file.
  static func isCompilerGenerated(_ path: String) -> Bool {
    path.hasSuffix("<compiler-generated>")
  }
}
