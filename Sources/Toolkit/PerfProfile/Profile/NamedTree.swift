internal import CLinux
internal import PerfModel

/// The call tree with names, inlined functions expanded and equal callers merged.
struct NamedTree {
  private var distinctFunctions = Numbering<Profile.Function>()
  private var distinctNodes = Numbering<Profile.Node>()
  /// The innermost named node of each node of the address tree.
  private(set) var places: [Int] = []

  var functions: [Profile.Function] { distinctFunctions.all }
  var nodes: [Profile.Node] { distinctNodes.all }

  /// Names an address tree.
  ///
  /// - Parameters:
  ///   - tree: The address tree.
  ///   - kernel: The functions of the kernel; nil for a tree without them.
  ///   - symbols: The frames of each location that is an address, innermost first.
  ///   - modules: The modules' names by index.
  init(
    _ tree: AddressTree, kernel: KernelSymbols? = nil,
    symbols: [Symbolizer.Address: [SymbolFrame]], modules: [String]
  ) {
    let locations = tree.locations
    let names = tree.names
    let frames = locations.map { Self.frames(of: $0, symbols, names, kernel) }
    places.reserveCapacity(tree.nodes.count)
    for raw in tree.nodes {
      let location = locations[Int(raw.location)]
      let module =
        switch location.module {
        case AddressTree.Location.kernelModule: Profile.kernelModule
        case AddressTree.Location.generatedModule: Profile.generatedModule
        default: location.module >= 0 ? modules[Int(location.module)] : ""
        }
      var node = raw.parent < 0 ? -1 : places[Int(raw.parent)]
      let isTask = location.module == AddressTree.Location.taskModule
      let expanded =
        isTask ? [taskFrame(of: location, under: node)] : frames[Int(raw.location)].reversed()
      for (depth, frame) in expanded.enumerated() {
        let function = distinctFunctions.number(
          of: Profile.Function(
            name: frame.name, key: frame.key, signature: frame.signature, module: module,
            file: frame.file))
        node = distinctNodes.number(
          of: Profile.Node(
            parent: node, function: function, line: frame.line, isInlined: depth > 0,
            isAsync: location.isAsync))
      }
      places.append(node)
    }
  }

  /// Returns the frame of the reason of a task's wait, or of the place at which a task was made.
  ///
  /// The runtime's functions that sleep wait for a continuation, which a timer resumes.
  private func taskFrame(of location: AddressTree.Location, under node: Int) -> SymbolFrame {
    guard let kind = TaskWaits.Kind(rawValue: Int(clamping: location.address)) else {
      return SymbolFrame(name: "[task]", key: "[task]", file: nil, line: 0)
    }
    let caller = node < 0 ? nil : functions[nodes[node].function]
    let sleeps =
      kind == .continuation
      && caller.map { $0.module.hasPrefix("libswift_Concurrency.so") && $0.name.contains("sleep(") }
        ?? false
    let name = sleeps ? "[sleep]" : kind.name
    return SymbolFrame(name: name, key: name, file: nil, line: 0)
  }

  private static func frames(
    of location: AddressTree.Location, _ symbols: [Symbolizer.Address: [SymbolFrame]],
    _ names: [String], _ kernel: KernelSymbols?
  ) -> [SymbolFrame] {
    let ends = StackEnd.allCases
    if location.module >= 0 {
      let address = Symbolizer.Address(
        module: Int(location.module), address: location.address)
      if let frames = symbols[address], !frames.isEmpty { return frames }
    }
    if location.module == AddressTree.Location.systemCallModule {
      let name = systemCallName(UInt32(truncatingIfNeeded: location.address))
      return [SymbolFrame(name: name, key: name, file: nil, line: 0)]
    }
    if location.module == AddressTree.Location.kernelModule {
      let name = kernel?.name(startingAt: location.address) ?? Profile.kernelModule
      return [SymbolFrame(name: name, key: name, file: nil, line: 0)]
    }
    if location.module == AddressTree.Location.generatedModule {
      let name = names[Int(location.address)]
      return [SymbolFrame(name: name, key: name, file: nil, line: 0)]
    }
    let isEnd = location.module == AddressTree.Location.endModule
    let index = Int(clamping: location.address)
    let name = isEnd && ends.indices.contains(index) ? "[\(ends[index].rawValue)]" : "[unknown]"
    return [SymbolFrame(name: name, key: name, file: nil, line: 0)]
  }

  /// Returns the name of a system call in brackets, as for every node that is no function.
  private static func systemCallName(_ number: UInt32) -> String {
    if number == .max { return "[page fault or stop]" }
    guard let name = clinux_system_call_name(Int(number)) else { return "[system call \(number)]" }
    return "[\(String(cString: name))]"
  }
}
