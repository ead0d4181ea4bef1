extension Profile {
  /// The module of functions of the kernel.
  public static let kernelModule = "[kernel]"
  /// The beginning of the names of the agent's libraries.
  package static let agentModules = "libperfkit-agent"
  /// The module of code that programs generated, such as that of JIT compilers.
  public static let generatedModule = "[generated]"
  /// The name in place of a thread's name for waits of tasks without a name.
  public static let unnamedTasks = "tasks"

  /// Adds to the value of each node the values of its descendants.
  ///
  /// - Parameter own: The value of each node.
  /// - Returns: The sums, in the order of the nodes.
  /// - Complexity: O(*nodes*).
  public func sumsOfSubtrees(_ own: [Double]) -> [Double] {
    // Parents precede their children, so one backward pass sums up the subtrees.
    var sums = own
    for index in nodes.indices.reversed() where nodes[index].parent >= 0 {
      sums[nodes[index].parent] += sums[index]
    }
    return sums
  }

  /// Finds the nodes whose callers are all in other groups, such as the outermost calls of a recursion.
  ///
  /// - Parameter groups: The group of each node, such as the number of its function.
  /// - Returns: Whether each node is such a node.
  /// - Complexity: O(*nodes* x *depth*).
  public func isOutermost(in groups: [some Equatable]) -> [Bool] {
    nodes.indices.map { node in
      var caller = nodes[node].parent
      while caller >= 0, groups[caller] != groups[node] { caller = nodes[caller].parent }
      return caller < 0
    }
  }
}
