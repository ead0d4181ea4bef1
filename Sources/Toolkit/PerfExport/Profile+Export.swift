internal import PerfModel

extension Profile {
  /// The profile without memory and tasks, because exports contain only the time of threads.
  ///
  /// Functions that await a callee have the suffix "(awaiting)", as in flame graphs.
  ///
  /// Other tools do not know logical callers, so an awaiting function is separate from the running
  /// one.
  var exported: Profile {
    var functions = functions
    var awaiting: [Int: Int] = [:]
    let nodes = nodes.map { node -> Node in
      guard node.isAsync else { return node }
      let index = awaiting[node.function] ?? functions.count
      if index == functions.count {
        awaiting[node.function] = index
        let function = functions[node.function]
        functions.append(
          Function(
            name: function.name + " (awaiting)", key: function.key, module: function.module,
            file: function.file))
      }
      return Node(
        parent: node.parent, function: index, line: node.line, isInlined: node.isInlined,
        isAsync: true)
    }
    return Profile(
      functions: functions, nodes: nodes, threads: threads, phases: phases,
      signposts: signposts, counts: counts.filter { $0.state.subject == .thread },
      timeline: timeline, audit: audit, modules: modules)
  }

  /// The modules of all functions, the program itself first.
  ///
  /// A name that several files share has no build id.
  var exportedModules: [Module] {
    let known = Dictionary(grouping: modules, by: \.name)
    var names: [String] = []
    var seen: Set<String> = [""]
    for name in modules.map(\.name) + functions.map(\.module) where seen.insert(name).inserted {
      names.append(name)
    }
    let exported = names.map { name in
      if let known = known[name], known.count == 1 { return known[0] }
      return Module(name: name, path: name, buildID: "")
    }
    return exported.filter { $0.name.isProgram } + exported.filter { !$0.name.isProgram }
  }

  /// Returns the nodes from the outermost caller to a node.
  func path(to node: Int) -> [Int] {
    var path: [Int] = []
    var next = node
    while next >= 0 {
      path.append(next)
      next = nodes[next].parent
    }
    return path.reversed()
  }
}

extension ProfileAudit {
  /// The requested sampling interval in nanoseconds; nil when the rate is impossible.
  ///
  /// An imported store may contain any rate.
  var interval: UInt64? {
    let nanoseconds = 1e9 / rateAsked
    // From one nanosecond to 1,000 seconds.
    return (1...1e12).contains(nanoseconds) ? UInt64(nanoseconds) : nil
  }
}

extension String {
  /// Whether a module of this name is a program and not a library or a part of the kernel.
  var isProgram: Bool { !contains(".so") && !hasPrefix("[") && !isEmpty }
}
