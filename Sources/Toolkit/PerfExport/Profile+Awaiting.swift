internal import PerfModel

extension Profile {
  /// The profile with the suffix "(awaiting)" on functions that await a callee, as in flame graphs.
  ///
  /// Other tools do not know logical callers, so an awaiting function is separate from the running
  /// one.
  var namingAwaiters: Profile {
    guard nodes.contains(where: \.isAsync) else { return self }
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
      signposts: signposts, counts: counts, timeline: timeline, audit: audit, modules: modules)
  }
}
