internal import PerfModel

/// The tables of a Firefox profile that all threads share, with one stack per node of the call
/// tree.
struct FirefoxTables {
  enum Category: Int, CaseIterable {
    /// The grey default category that the format requires.
    case other
    case program
    case library
    case runnable
    case waiting

    /// The name and colour that the tool shows.
    var look: (name: String, color: String) {
      switch self {
      case .other: ("Other", "grey")
      case .program: ("Program", "yellow")
      case .library: ("Libraries", "lightblue")
      case .runnable: ("Runnable", "red")
      case .waiting: ("Waiting", "transparent")
      }
    }
  }

  private struct StackFrame: Hashable {
    let function: Int
    let line: Int
    let inlineDepth: Int
    let library: Int
    let category: Category
  }

  let modules: [Profile.Module]
  private(set) var strings = StringTable()
  private let functions: [Profile.Function]
  private var functionNames: [Int] = []
  private var libraries: [String: Int] = [:]
  private var libraryNames: [Int] = []
  private var sources: [String: Int] = [:]
  private var sourceNames: [Int] = []
  private var frames: [StackFrame] = []
  private var frameIndices: [StackFrame: Int] = [:]
  private var stackFrames: [Int] = []
  private var stackOffsets: [Int] = []
  /// The stacks of threads that are not running: the stack of the node plus a frame for the state.
  private var idleStacks: [Profile.State: [Int: Int]] = [:]

  init(_ profile: Profile) {
    modules = profile.exportedModules
    // Two artificial functions represent the states of a thread that is not running.
    functions =
      profile.functions
      + ["[runnable]", "[waiting]"].map {
        Profile.Function(name: $0, key: $0, module: "", file: nil)
      }
    for (index, module) in modules.enumerated() {
      libraries[module.name] = index
      libraryNames.append(strings.index(of: module.name))
    }
    for function in functions {
      functionNames.append(strings.index(of: function.name))
      if let file = function.file, sources[file] == nil {
        sources[file] = sourceNames.count
        sourceNames.append(strings.index(of: file))
      }
    }
    var depths: [Int] = []
    for (index, node) in profile.nodes.enumerated() {
      let depth = node.isInlined && node.parent >= 0 ? depths[node.parent] + 1 : 0
      depths.append(depth)
      let module = profile.functions[node.function].module
      addStack(
        StackFrame(
          function: node.function, line: node.line, inlineDepth: depth,
          library: libraries[module] ?? -1,
          category: module.isEmpty ? .other : module.isProgram ? .program : .library),
        offset: node.parent < 0 ? 0 : index - node.parent)
    }
    addIdleStacks(of: profile)
  }

  /// Returns the stack of a sample.
  func stack(of sample: TimedSamples.Sample) -> Int {
    idleStacks[sample.state]?[sample.node] ?? sample.node
  }

  private mutating func addIdleStacks(of profile: Profile) {
    for count in profile.counts where count.state != .running {
      guard idleStacks[count.state]?[count.node] == nil else { continue }
      let isWaiting = count.state == .waiting
      idleStacks[count.state, default: [:]][count.node] = stackFrames.count
      addStack(
        StackFrame(
          function: functions.count - (isWaiting ? 1 : 2), line: 0, inlineDepth: 0, library: -1,
          category: isWaiting ? .waiting : .runnable),
        offset: stackFrames.count - count.node)
    }
  }

  private mutating func addStack(_ frame: StackFrame, offset: Int) {
    let index = frameIndices[frame] ?? frames.count
    if index == frames.count {
      frameIndices[frame] = index
      frames.append(frame)
    }
    stackFrames.append(index)
    stackOffsets.append(offset)
  }

  // MARK: - Writing

  /// Writes the tables with all strings, including those added after the tables were made.
  func write(to json: inout JSONWriter, _ strings: StringTable) {
    json.member("stringArray", arrayOf: strings.all) { $0.string($1) }
    json.member("stackTable") { json in
      json.column("frame", stackFrames)
      json.column("prefixOffset", stackOffsets)
      json.member("length", stackFrames.count)
    }
    json.member("frameTable") { writeFrames(to: &$0) }
    json.member("funcTable") { writeFunctions(to: &$0) }
    json.member("resourceTable") { json in
      json.column("name", libraryNames)
      json.column("host", nulls: modules.count)
      // Type 1 is a library.
      json.column("type", Array(repeating: 1, count: modules.count))
      json.member("length", modules.count)
    }
    json.member("nativeSymbols") { json in
      for column in ["libIndex", "address", "name", "functionSize"] { json.column(column, []) }
      json.member("length", 0)
    }
    json.member("sources") { json in
      json.column("id", nulls: sourceNames.count)
      json.column("filename", sourceNames)
      json.column("startLine", Array(repeating: 1, count: sourceNames.count))
      json.column("startColumn", Array(repeating: 1, count: sourceNames.count))
      json.column("sourceMapURL", nulls: sourceNames.count)
      json.column("content", nulls: sourceNames.count)
      json.member("length", sourceNames.count)
    }
    json.member("sourceLocationTable") { json in
      for column in ["source", "line", "column"] { json.column(column, []) }
      json.member("length", 0)
    }
  }

  private func writeFrames(to json: inout JSONWriter) {
    // A node is a function and line, which several addresses share, so no address is written.
    json.column("address", Array(repeating: -1, count: frames.count))
    json.column("lib", frames.map(\.library))
    json.column("inlineDepth", frames.map(\.inlineDepth))
    json.column("category", frames.map(\.category.rawValue))
    json.column("subcategory", Array(repeating: 0, count: frames.count))
    json.column("func", frames.map(\.function))
    json.column("nativeSymbol", nulls: frames.count)
    json.column("innerWindowID", nulls: frames.count)
    json.column("line", frames.map { $0.line > 0 ? $0.line : nil })
    json.column("column", nulls: frames.count)
    json.column("originalLocation", nulls: frames.count)
    json.member("length", frames.count)
  }

  private func writeFunctions(to json: inout JSONWriter) {
    json.column("name", functionNames)
    json.member("isJS", arrayOf: functions) { json, _ in json.bool(false) }
    json.member("relevantForJS", arrayOf: functions) { json, _ in json.bool(false) }
    json.column("resource", functions.map { libraries[$0.module] ?? -1 })
    json.column("source", functions.map { $0.file.flatMap { sources[$0] } })
    json.column("lineNumber", nulls: functions.count)
    json.column("columnNumber", nulls: functions.count)
    json.column("originalLocation", nulls: functions.count)
    json.member("length", functions.count)
  }
}

extension JSONWriter {
  /// Writes a column of a table, which may have missing values.
  mutating func column(_ name: String, _ values: [Int?]) {
    member(name, arrayOf: values) { json, value in
      if let value { json.int(value) } else { json.null() }
    }
  }

  /// Writes a column without values.
  mutating func column(_ name: String, nulls count: Int) {
    member(name, arrayOf: 0..<count) { json, _ in json.null() }
  }
}
