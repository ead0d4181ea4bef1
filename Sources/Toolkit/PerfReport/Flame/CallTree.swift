internal import PerfModel

/// The samples that a flame graph shows, summed up along the calls.
struct CallTree {
  /// A function under its callers, or under its callees when reversed.
  struct Node {
    /// Index of the function.
    let function: Int
    /// Index of the node above, or -1.
    let parent: Int
    /// Rows below the top one.
    let depth: Int
    /// Weight of samples that end here.
    var own = FlameData.Weights()
    /// Weight of all samples through here.
    var total = FlameData.Weights()
    /// The nodes below.
    var children: [Int] = []
  }

  /// Parents first.
  private(set) var nodes: [Node] = []
  /// The nodes of the top row.
  private(set) var roots: [Int] = []
  /// Weight of all samples that are shown.
  private(set) var total = FlameData.Weights()
  let functions: [Profile.Function]

  private var numbers: [Place: Int] = [:]

  private struct Place: Hashable {
    let parent: Int
    let function: Int
  }

  /// Sums up what the options select; children are sorted by weight, equal ones by name.
  init(_ data: FlameData, options: FlameOptions) {
    functions = data.functions
    var own: [Int: FlameData.Weights] = [:]
    for (row, weights) in data.rows where Self.selects(row, data, options) {
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

  /// Whether the options show a row's samples.
  static func selects(
    _ row: FlameData.Row, _ data: FlameData, _ options: FlameOptions
  ) -> Bool {
    row.state == options.state
      && (!options.onlyMissedFrames || row.frameClass == .missed)
      && options.thread.map { data.threads[row.thread] == $0 } ?? true
      && options.phase.map { data.phases[row.phase] == $0 } ?? true
      && options.signpost.map { data.signposts[row.signpost] == $0 } ?? true
  }

  /// The functions from a node up to its outermost caller.
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
