internal import PerfModel

/// One or two profiles as one call tree of functions, ready to be filtered and drawn.
///
/// Lines are merged: a flame graph shows functions. Weights are nanoseconds, or bytes, of one launch: of
/// two profiles each may have another number of them.
struct FlameData {
  /// Samples of one place in the tree that agree in all that can be filtered.
  struct Row: Hashable {
    let node: Int
    let thread: Int
    let phase: Int
    let signpost: Int
    let frameClass: Profile.FrameClass
    let state: Profile.State
  }

  /// Weights of the two sides; of a single profile the base is zero.
  struct Weights: Hashable {
    var base = 0.0
    var candidate = 0.0

    static func += (left: inout Weights, right: Weights) {
      left.base += right.base
      left.candidate += right.candidate
    }

    var sum: Double { base + candidate }
  }

  private(set) var functions: [Profile.Function] = []
  /// The caller's node of each node, smaller than its own number, or -1.
  private(set) var parents: [Int] = []
  /// The function of each node.
  private(set) var functionOfNode: [Int] = []
  private(set) var threads: [String] = []
  private(set) var phases: [String] = [""]
  private(set) var signposts: [String] = [""]
  private(set) var rows: [Row: Weights] = [:]
  /// Whether there are two sides.
  let isDifference: Bool

  private var functionNumbers: [FunctionKey: Int] = [:]
  private var nodeNumbers: [NodeKey: Int] = [:]

  private struct FunctionKey: Hashable {
    let key: String
    let isAwaiting: Bool
  }

  private struct NodeKey: Hashable {
    let parent: Int
    let function: Int
  }

  /// Creates the tree of one profile.
  init(_ profile: Profile, launches: Int) {
    isDifference = false
    add(profile) { Weights(candidate: $0 / Double(max(launches, 1))) }
  }

  /// Creates the tree of two profiles; functions are matched by their keys.
  init(
    base: Profile, baseLaunches: Int, candidate: Profile, candidateLaunches: Int
  ) {
    isDifference = true
    add(base) { Weights(base: $0 / Double(max(baseLaunches, 1))) }
    add(candidate) { Weights(candidate: $0 / Double(max(candidateLaunches, 1))) }
  }

  private mutating func add(_ profile: Profile, side: (Double) -> Weights) {
    var nodes: [Int] = []
    nodes.reserveCapacity(profile.nodes.count)
    for node in profile.nodes {
      let parent = node.parent < 0 ? -1 : nodes[node.parent]
      let function = number(of: profile.functions[node.function], isAwaiting: node.isAsync)
      nodes.append(number(of: NodeKey(parent: parent, function: function)))
    }
    let threadNumbers = profile.threads.map { Self.number(of: $0.name, in: &threads) }
    let phaseNumbers = profile.phases.map { Self.number(of: $0, in: &phases) }
    let signpostNumbers = profile.signposts.map { Self.number(of: $0, in: &signposts) }
    for count in profile.counts where count.weight > 0 {
      let row = Row(
        node: nodes[count.node], thread: threadNumbers[count.thread],
        phase: phaseNumbers[count.phase], signpost: signpostNumbers[count.signpost],
        frameClass: count.frameClass, state: count.state)
      rows[row, default: Weights()] += side(count.weight)
    }
  }

  /// A function that waits for what it calls is shown apart from itself when it runs.
  private mutating func number(of function: Profile.Function, isAwaiting: Bool) -> Int {
    let key = FunctionKey(key: function.key, isAwaiting: isAwaiting)
    let shown =
      isAwaiting
      ? Profile.Function(
        name: function.name + " (awaiting)", key: function.key, module: function.module,
        file: function.file) : function
    if let known = functionNumbers[key] {
      if shown.isPlainer(than: functions[known]) { functions[known] = shown }
      return known
    }
    functions.append(shown)
    functionNumbers[key] = functions.count - 1
    return functions.count - 1
  }

  private mutating func number(of key: NodeKey) -> Int {
    if let known = nodeNumbers[key] { return known }
    parents.append(key.parent)
    functionOfNode.append(key.function)
    nodeNumbers[key] = parents.count - 1
    return parents.count - 1
  }

  private static func number(of name: String, in names: inout [String]) -> Int {
    if let known = names.firstIndex(of: name) { return known }
    names.append(name)
    return names.count - 1
  }

  /// The data without what is said of memory.
  var ofTime: FlameData {
    var result = self
    result.rows = rows.filter { $0.key.state.dimension == .time }
    return result
  }

  /// Returns the tree without its least nodes, so that at most `limit` are left.
  ///
  /// What is taken away is charged to the nearest caller that stays; no weight is lost. Nodes are
  /// compared by their shares of all that is measured in one unit.
  func pruned(to limit: Int) -> FlameData {
    guard parents.count > limit else { return self }
    var whole: [Dimension: Double] = [:]
    for (row, weights) in rows { whole[row.state.dimension, default: 0] += weights.sum }
    var totals = Array(repeating: 0.0, count: parents.count)
    for (row, weights) in rows {
      totals[row.node] += weights.sum / (whole[row.state.dimension] ?? 1)
    }
    for node in parents.indices.reversed() where parents[node] >= 0 {
      totals[parents[node]] += totals[node]
    }
    // A caller weighs at least as much as its callees and stands before them, so it stays with them.
    let order = totals.indices.sorted { (totals[$1], $0) < (totals[$0], $1) }
    let kept = Set(order.prefix(limit))
    var result = self
    result.parents = []
    result.functionOfNode = []
    result.rows = [:]
    var place: [Int] = []
    for node in parents.indices {
      let parent = parents[node] < 0 ? -1 : place[parents[node]]
      if kept.contains(node) || parents[node] < 0 {
        result.parents.append(parent)
        result.functionOfNode.append(functionOfNode[node])
        place.append(result.parents.count - 1)
      } else {
        place.append(parent)
      }
    }
    for (row, weights) in rows {
      let moved = Row(
        node: place[row.node], thread: row.thread, phase: row.phase, signpost: row.signpost,
        frameClass: row.frameClass, state: row.state)
      result.rows[moved, default: Weights()] += weights
    }
    return result
  }
}
