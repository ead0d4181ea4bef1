internal import PerfModel

/// The samples of one state, summed along call paths.
struct CallTree {
  /// A function below its callers, or below its callees if reversed.
  struct Node {
    /// Index of the function.
    let function: Int
    /// Index of the parent node, or -1 for a root.
    let parent: Int
    /// The number of ancestors.
    let depth: Int
    /// Weight of the samples that end in this node.
    var own = FlameData.Weights()
    /// Weight of the samples in this node and its descendants.
    var total = FlameData.Weights()
    /// Indices of the child nodes.
    var children: [Int] = []
  }

  /// The nodes, parents before children.
  private(set) var nodes: [Node] = []
  /// Indices of the nodes in the top row.
  private(set) var roots: [Int] = []
  /// Weight of all samples in the tree.
  private(set) var total = FlameData.Weights()
  let functions: [Profile.Function]

  private var numbers: [Place: Int] = [:]

  private struct Place: Hashable {
    let parent: Int
    let function: Int
  }

  /// Sums the samples of one state; children are sorted by weight, then by function key.
  init(_ data: FlameData, options: FlameOptions) {
    functions = data.functions
    var own: [Int: FlameData.Weights] = [:]
    for (row, weights) in data.rows where row.state == options.state {
      own[row.node, default: .init()] += weights
    }
    for (node, weights) in own.sorted(by: { $0.key < $1.key }) {
      total += weights
      let path = Self.path(to: node, in: data)
      insert(options.isReversed ? path : path.reversed(), weights)
    }
    for index in nodes.indices { nodes[index].children = sorted(nodes[index].children) }
    roots = sorted(roots)
  }

  /// Returns the functions from a node up to its outermost caller.
  private static func path(to node: Int, in data: FlameData) -> [Int] {
    var path: [Int] = []
    var node = node
    while node >= 0 {
      path.append(data.functionOfNode[node])
      node = data.parents[node]
    }
    return path
  }

  private mutating func insert(_ path: some Collection<Int>, _ weights: FlameData.Weights) {
    var parent = -1
    for function in path {
      let place = Place(parent: parent, function: function)
      let node: Int
      if let known = numbers[place] {
        node = known
      } else {
        node = nodes.count
        numbers[place] = node
        nodes.append(
          Node(
            function: function, parent: parent, depth: parent < 0 ? 0 : nodes[parent].depth + 1))
        if parent < 0 { roots.append(node) } else { nodes[parent].children.append(node) }
      }
      nodes[node].total += weights
      parent = node
    }
    if parent >= 0 { nodes[parent].own += weights }
  }

  private func sorted(_ children: [Int]) -> [Int] {
    children.sorted { first, second in
      let (one, other) = (nodes[first], nodes[second])
      return one.total.sum == other.total.sum
        ? functions[one.function].key < functions[other.function].key
        : one.total.sum > other.total.sum
    }
  }
}
