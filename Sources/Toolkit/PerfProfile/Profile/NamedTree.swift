internal import CLinux
internal import PerfModel

/// The call tree with names, inlined functions expanded and equal callers merged.
struct NamedTree {
  private struct NodeKey: Hashable {
    let parent: Int
    let function: Int
    let line: Int
    let isInlined: Bool
    let isAsync: Bool
  }

  private(set) var functions: [Profile.Function] = []
  private(set) var nodes: [Profile.Node] = []
  /// The innermost named node of each node of the address tree.
  private(set) var places: [Int] = []
  private var functionIndices: [Profile.Function: Int] = [:]
  private var nodeIndices: [NodeKey: Int] = [:]

  /// Names an address tree.
  ///
  /// - Parameters:
  ///   - tree: The address tree.
  ///   - symbols: The frames of each location that is an address, innermost first.
  ///   - modules: The modules' names by index.
  init(
    _ tree: AddressTree, symbols: [Symbolizer.Address: [SymbolFrame]], modules: [String]
  ) {
    let frames = tree.locations.map { Self.frames(of: $0, symbols) }
    places.reserveCapacity(tree.parents.count)
    for (raw, parent) in tree.parents.enumerated() {
      let place = Int(tree.nodeLocations[raw])
      let location = tree.locations[place]
      let module = location.module >= 0 ? modules[Int(location.module)] : ""
      var node = parent < 0 ? -1 : places[Int(parent)]
      for (depth, frame) in frames[place].reversed().enumerated() {
        let function = index(
          of: Profile.Function(
            name: frame.name, key: frame.key, signature: frame.signature, module: module,
            file: frame.file))
        node = index(
          of: NodeKey(
            parent: node, function: function, line: frame.line, isInlined: depth > 0,
            isAsync: location.isAsync))
      }
      places.append(node)
    }
  }

  private static func frames(
    of location: AddressTree.Location, _ symbols: [Symbolizer.Address: [SymbolFrame]]
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
    let isEnd = location.module == AddressTree.Location.endModule
    let index = Int(clamping: location.address)
    let name = isEnd && ends.indices.contains(index) ? "[\(ends[index].text)]" : "[unknown]"
    return [SymbolFrame(name: name, key: name, file: nil, line: 0)]
  }

  /// Returns the name of a system call in brackets, as for every node that is no function.
  private static func systemCallName(_ number: UInt32) -> String {
    if number == .max { return "[page fault or stop]" }
    guard let name = clinux_system_call_name(Int(number)) else { return "[system call \(number)]" }
    return "[\(String(cString: name))]"
  }

  private mutating func index(of function: Profile.Function) -> Int {
    if let index = functionIndices[function] { return index }
    let index = functions.count
    functions.append(function)
    functionIndices[function] = index
    return index
  }

  private mutating func index(of key: NodeKey) -> Int {
    if let index = nodeIndices[key] { return index }
    let index = nodes.count
    nodes.append(
      Profile.Node(
        parent: key.parent, function: key.function, line: key.line, isInlined: key.isInlined,
        isAsync: key.isAsync))
    nodeIndices[key] = index
    return index
  }
}
