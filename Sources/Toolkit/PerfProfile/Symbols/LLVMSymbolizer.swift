/// Addresses to functions, inlined functions, files and lines, by the toolchain's llvm-symbolizer.
///
/// Few processes for all addresses: their starts and the reading of debug information dominate.
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

  /// Finds the functions of addresses.
  ///
  /// - Parameters:
  ///   - requests: The addresses; neighbours should be of one file, and near each other in it.
  ///   - processes: Among how many processes they are divided, all of which run at once.
  /// - Returns: The frames of each address, innermost first; empty where the tool knows nothing.
  /// - Throws: `tool` when it fails or answers something else than it was asked.
  func symbolize(
    _ requests: [Request], processes: Int
  ) throws(PerfProfileError) -> [[Frame]] {
    let share = max(1, (requests.count + processes - 1) / processes)
    let parts = stride(from: 0, to: requests.count, by: share).map {
      requests[$0..<min($0 + share, requests.count)]
    }
    let answers = parts.concurrentMap { part in
      Result { () throws(PerfProfileError) in try ask(part) }
    }
    var frames: [[Frame]] = []
    for answer in answers { frames += try answer.get() }
    return frames
  }

  private func ask(_ requests: ArraySlice<Request>) throws(PerfProfileError) -> [[Frame]] {
    let tool = Tool(
      path: path, arguments: ["--output-style=LLVM", "--inlines", "--functions=linkage"],
      // With it set the tool would ask a server for each file without debug information.
      withoutVariables: ["DEBUGINFOD_URLS"])
    let question = requests.map { "\"\($0.path)\" 0x\(String($0.address, radix: 16))\n" }.joined()
    let answers = Self.read(try tool.run(question))
    guard answers.count == requests.count else {
      throw .tool(
        path: path, reason: "it answered \(answers.count) of \(requests.count) questions")
    }
    return answers
  }

  /// Reads its answers: of each frame a line with the function and one with `file:line:column`, and
  /// an empty line behind the last.
  ///
  /// Its JSON says the same, and takes longer to read than addresses take to name.
  static func read(_ text: [UInt8]) -> [[Frame]] {
    var answers: [[Frame]] = []
    var frames: [Frame] = []
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
    // Behind the last empty line's end there is another one, of the text.
    return answers.dropLast()
  }

  private static func frame(_ function: ArraySlice<UInt8>, at place: ArraySlice<UInt8>) -> Frame? {
    let name = String(decoding: function, as: UTF8.self)
    if name.isEmpty || name == "??" { return nil }
    // A file's name may have colons itself, so they are counted from the end.
    let colons = place.indices.filter { place[$0] == UInt8(ascii: ":") }.suffix(2)
    guard let first = colons.first, let last = colons.last, first < last else {
      return Frame(name: name, file: nil, line: 0)
    }
    let file = String(decoding: place[..<first], as: UTF8.self)
    let isNoFile = file.isEmpty || file == "??" || isCompilers(file)
    let line = Int(String(decoding: place[(first + 1)..<last], as: UTF8.self)) ?? 0
    return Frame(name: name, file: isNoFile ? nil : file, line: max(0, line))
  }

  /// Whether a path is what the compiler writes for code that belongs to no file, which the tool takes
  /// for a file in the root folder.
  static func isCompilers(_ path: String) -> Bool { path.hasSuffix("<compiler-generated>") }
}
