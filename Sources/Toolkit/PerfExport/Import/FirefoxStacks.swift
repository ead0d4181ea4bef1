internal import PerfModel

/// The tables of stacks of a Firefox profile: a thread's, or those that all threads share.
struct FirefoxStacks {
  private let strings: [String]
  private let frames: FirefoxDocument.Frames
  private let functions: FirefoxDocument.Functions
  private let resources: [Int?]
  private let sources: [Int?]
  private let stackFrames: [Int]
  /// The caller's stack of each stack, a smaller number, or -1.
  private let callers: [Int]
  /// The state of the thread by the artificial function at the end of a stack of PerfKit's exports.
  private let states: [String: Profile.State]

  init(
    _ own: FirefoxDocument.Tables, _ shared: FirefoxDocument.Tables?, isOfPerfKit: Bool
  ) throws(ImportError) {
    guard
      let strings = own.stringArray ?? own.stringTable ?? shared?.stringArray,
      let stacks = own.stackTable ?? shared?.stackTable,
      let frames = own.frameTable ?? shared?.frameTable,
      let functions = own.funcTable ?? shared?.funcTable
    else {
      throw Self.malformed("a thread has no stackTable, frameTable, funcTable or stringArray")
    }
    self.strings = strings
    self.frames = frames
    self.functions = functions
    resources = (own.resourceTable ?? shared?.resourceTable)?.name ?? []
    sources = (own.sources ?? shared?.sources)?.filename ?? []
    stackFrames = stacks.frame
    callers = try Self.callers(in: stacks)
    states = isOfPerfKit ? ["[waiting]": .waiting, "[runnable]": .runnable] : [:]
  }

  private static func malformed(_ reason: String) -> ImportError {
    .malformed(.firefox, reason: reason)
  }

  /// Returns the caller of each stack; each precedes its callees, so that there is no cycle.
  private static func callers(in stacks: FirefoxDocument.Stacks) throws(ImportError) -> [Int] {
    var callers: [Int] = []
    callers.reserveCapacity(stacks.frame.count)
    for index in stacks.frame.indices {
      var caller = -1
      if let prefixes = stacks.prefix {
        guard prefixes.indices.contains(index) else {
          throw malformed("stackTable.prefix is too short")
        }
        caller = prefixes[index] ?? -1
      } else if let offsets = stacks.prefixOffset {
        guard offsets.indices.contains(index) else {
          throw malformed("stackTable.prefixOffset is too short")
        }
        if offsets[index] != 0 {
          guard (1...index).contains(offsets[index]) else {
            throw malformed("stack \(index) has the prefix offset \(offsets[index])")
          }
          caller = index - offsets[index]
        }
      } else {
        throw malformed("'stackTable.prefix' is missing")
      }
      guard (-1..<index).contains(caller) else {
        throw malformed("stack \(index) has the prefix \(caller), which does not precede it")
      }
      callers.append(caller)
    }
    return callers
  }

  /// The node of a stack in the tree, and the state that the stack stands for.
  struct Place {
    let node: Int
    let state: Profile.State
  }

  /// Adds stacks to a tree.
  ///
  /// - Parameters:
  ///   - used: The stacks of samples.
  ///   - tree: The tree, which receives the stacks and their callers.
  /// - Returns: The place of each stack; nil for a stack that no sample uses.
  /// - Throws: `malformed` for an index out of range, or too many stacks.
  /// - Complexity: O(*stacks*).
  func places(of used: some Sequence<Int?>, in tree: inout ImportedTree) throws(ImportError)
    -> [Place?]
  {
    var isUsed = Array(repeating: false, count: callers.count)
    for case let stack? in used {
      guard isUsed.indices.contains(stack) else {
        throw Self.malformed("a sample has the stack \(stack) of \(isUsed.count)")
      }
      isUsed[stack] = true
    }
    // Callers precede their callees, so one backward pass finds the callers of all used stacks.
    for stack in callers.indices.reversed() where isUsed[stack] && callers[stack] >= 0 {
      isUsed[callers[stack]] = true
    }
    var places: [Place?] = []
    places.reserveCapacity(callers.count)
    for stack in callers.indices {
      let caller = callers[stack] < 0 ? nil : places[callers[stack]]
      places.append(isUsed[stack] ? try place(of: stack, below: caller, in: &tree) : nil)
    }
    return places
  }

  private func place(
    of stack: Int, below caller: Place?, in tree: inout ImportedTree
  ) throws(ImportError) -> Place {
    let frame = stackFrames[stack]
    let function = try element(frame, of: frames.function, "frameTable.func")
    let name = try text(try element(function, of: functions.name, "funcTable.name"))
    if let caller, let state = states[name] { return Place(node: caller.node, state: state) }
    let resource = try optional(function, of: functions.resource, "funcTable.resource")
    let module = try named(resource, in: resources, "resourceTable.name") ?? ""
    var file = try optional(function, of: functions.fileName, "funcTable.fileName")
      .map { index throws(ImportError) in try text(index) }
    if file == nil {
      let source = try optional(function, of: functions.source, "funcTable.source")
      file = try named(source, in: sources, "sources.filename")
    }
    let line = try optional(frame, of: frames.line, "frameTable.line") ?? 0
    let depth = try optional(frame, of: frames.inlineDepth, "frameTable.inlineDepth") ?? 0
    let number = tree.function(name, module: module, file: file)
    return Place(
      node: try tree.child(
        of: caller?.node ?? -1, number, line: max(0, line), isInlined: depth > 0),
      state: caller?.state ?? .running)
  }

  private func text(_ index: Int) throws(ImportError) -> String {
    try element(index, of: strings, "stringArray")
  }

  private func element<Element>(
    _ index: Int, of column: [Element], _ name: String
  ) throws(ImportError) -> Element {
    guard column.indices.contains(index) else {
      throw Self.malformed("it refers to element \(index) of \(name), which has \(column.count)")
    }
    return column[index]
  }

  /// Returns a value of a column that may be absent.
  private func optional(
    _ index: Int, of column: [Int?]?, _ name: String
  ) throws(ImportError) -> Int? {
    guard let column else { return nil }
    return try element(index, of: column, name)
  }

  /// Returns the text of an element of a table; nil for no element.
  private func named(
    _ index: Int?, in column: [Int?], _ name: String
  ) throws(ImportError) -> String? {
    guard let index, index >= 0 else { return nil }
    guard let place = try element(index, of: column, name) else { return nil }
    return try text(place)
  }
}
