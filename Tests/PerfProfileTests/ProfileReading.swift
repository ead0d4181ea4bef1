import PerfModel

@testable import PerfProfile

extension ProfileBuilder {
  /// Returns the profile of one capture.
  static func profile(
    of capture: Capture, tools: ToolPaths = .found(), cache: any SymbolCache = MemorySymbolCache()
  ) throws -> Profile {
    let builder = ProfileBuilder(tools: tools, cache: cache)
    try builder.add(capture, launch: 0, measured: 0 ... .max)
    return builder.finish()
  }
}

extension Profile {
  /// Returns the names of a node and its callers, innermost first.
  func names(from node: Int) -> [String] {
    var names: [String] = []
    var next = node
    while next >= 0 {
      names.append(functions[nodes[next].function].name)
      next = nodes[next].parent
    }
    return names
  }

  /// Returns the stacks of a launch in order of time, each innermost first.
  func stacks(_ launch: Int = 0) -> [[String]] {
    (timeline[launch] ?? []).map { names(from: $0.node) }
  }
}
