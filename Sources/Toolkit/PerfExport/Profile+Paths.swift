internal import PerfModel

extension Profile {
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
