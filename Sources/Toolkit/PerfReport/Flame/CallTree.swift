internal import PerfModel

/// The samples of one state, summed along call paths.
struct CallTree {
  /// A function below its callers, or below its callees if reversed.
  struct Node {
    let function: Int
    /// Weight of the samples that end in this node.
    var own = FlameData.Weights()
    /// Weight of the samples in this node and its descendants.
    var total = FlameData.Weights()
    var children: [Int] = []
  }

  /// The nodes, parents before children.
  private(set) var nodes: [Node] = []
  /// Indices of the nodes in the top row.
  private(set) var roots: [Int] = []
  private(set) var total = FlameData.Weights()
  let functions: [Profile.Function]

  private var numbers: [FlameData.Place: Int] = [:]

  /// Sums the samples of one state; children are sorted by weight, then by function key.
  init(_ data: FlameData, options: FlameOptions) {
    functions = data.functions
    var own: [Int: FlameData.Weights] = [:]
    for (row, weights) in data.rows where row.state == options.state {
      own[row.node, default: .init()] += weights
    }
    for (node, weights) in own.sorted(by: { $0.key < $1.key }) {
      total += weights
      let callers = sequence(first: node) { data.parents[$0] < 0 ? nil : data.parents[$0] }
      let path = callers.map { data.functionOfNode[$0] }
      insert(options.isReversed ? path : path.reversed(), weights)
    }
    for index in nodes.indices { nodes[index].children = sorted(nodes[index].children) }
    roots = sorted(roots)
  }

  private mutating func insert(_ path: [Int], _ weights: FlameData.Weights) {
    var parent = -1
    for function in path {
      let place = FlameData.Place(parent: parent, function: function)
      let node = numbers[place] ?? nodes.count
      if node == nodes.count {
        numbers[place] = node
        nodes.append(Node(function: function))
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
