internal import PerfModel

/// The call tree of one or two profiles.
///
/// Nodes are functions; lines of a function are merged. Weights are in base units per launch, because
/// two profiles may have different numbers of launches; an imported profile counts as one launch.
struct FlameData {
  /// A profile with the number of launches that were sampled.
  struct Side {
    let profile: Profile
    let launches: Int
  }

  /// The properties that samples of one row share.
  struct Row: Hashable {
    var node: Int
    let thread: Int
    let phase: Int
    let signpost: Int
    let frameClass: Profile.FrameClass
    let state: Profile.State
  }

  /// A node by its parent, or -1, and its function.
  struct Place: Hashable {
    let parent: Int
    let function: Int
  }

  /// The weights of base and candidate; the base of a single profile is 0.
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
  /// The parent of each node, a smaller index or -1.
  private(set) var parents: [Int] = []
  private(set) var functionOfNode: [Int] = []
  private(set) var threads: [String] = []
  private(set) var phases: [String] = [""]
  private(set) var signposts: [String] = [""]
  private(set) var rows: [Row: Weights] = [:]
  let isDifference: Bool
  /// What the weights of running threads measure.
  let measure: Profile.Measure
  /// Whether the weights are those of a launch; an imported profile has none.
  let isPerLaunch: Bool

  /// The numbers of nodes, threads, phases and signposts in this tree, by their indices in each profile.
  private var numbers = (base: Numbers(), candidate: Numbers())
  private var functionNumbers: [FunctionKey: Int] = [:]
  private var nodeNumbers: [Place: Int] = [:]

  private struct Numbers {
    var nodes: [Int] = []
    var threads: [Int] = []
    var phases: [Int] = []
    var signposts: [Int] = []
  }

  private struct FunctionKey: Hashable {
    let key: String
    let isAwaiting: Bool
  }

  /// Creates the tree of one profile, or of two, whose functions are matched by key.
  init(_ candidate: Side, against base: Side? = nil, filter: SampleFilter = SampleFilter()) {
    isDifference = base != nil
    measure = candidate.profile.measure
    isPerLaunch = candidate.launches > 0 || (base?.launches ?? 0) > 0
    if let base { numbers.base = add(base, filter) { Weights(base: $0) } }
    numbers.candidate = add(candidate, filter) { Weights(candidate: $0) }
  }

  private mutating func add(
    _ side: Side, _ filter: SampleFilter, weights: (Double) -> Weights
  ) -> Numbers {
    let profile = side.profile
    let launches = filter.launch == nil ? Double(max(side.launches, 1)) : 1
    var numbers = Numbers()
    numbers.nodes.reserveCapacity(profile.nodes.count)
    for node in profile.nodes {
      let parent = node.parent < 0 ? -1 : numbers.nodes[node.parent]
      let function = number(of: profile.functions[node.function], isAwaiting: node.isAsync)
      numbers.nodes.append(number(of: Place(parent: parent, function: function)))
    }
    numbers.threads = profile.threads.map { Self.number(of: $0.name, in: &threads) }
    numbers.phases = profile.phases.map { Self.number(of: $0, in: &phases) }
    numbers.signposts = profile.signposts.map { Self.number(of: $0, in: &signposts) }
    for count in profile.counts where count.weight > 0 && filter.selects(count, of: profile) {
      let row = Row(
        node: numbers.nodes[count.node], thread: numbers.threads[count.thread],
        phase: numbers.phases[count.phase], signpost: numbers.signposts[count.signpost],
        frameClass: count.frameClass, state: count.state)
      rows[row, default: Weights()] += weights(count.weight / launches)
    }
    return numbers
  }

  /// Returns the row of a sample of the candidate, or of the base.
  func row(of moment: Profile.Moment, isBase: Bool) -> Row {
    let numbers = isBase ? numbers.base : numbers.candidate
    return Row(
      node: numbers.nodes[moment.node], thread: numbers.threads[moment.thread],
      phase: numbers.phases[moment.phase], signpost: numbers.signposts[moment.signpost],
      frameClass: moment.frameClass, state: moment.state)
  }

  /// Returns the index of a function; an async function that awaits is distinct from the same
  /// function running.
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

  private mutating func number(of place: Place) -> Int {
    if let known = nodeNumbers[place] { return known }
    parents.append(place.parent)
    functionOfNode.append(place.function)
    nodeNumbers[place] = parents.count - 1
    return parents.count - 1
  }

  private static func number(of name: String, in names: inout [String]) -> Int {
    if let known = names.firstIndex(of: name) { return known }
    names.append(name)
    return names.count - 1
  }

  var ofThreads: FlameData {
    var result = self
    result.rows = rows.filter { $0.key.state.subject == .thread }
    return result
  }

  /// Returns the tree reduced to its `limit` heaviest nodes and the roots.
  ///
  /// The weight of a removed node is charged to its nearest remaining caller, so no weight is lost.
  /// Nodes are compared by their share of all rows with the same subject.
  func pruned(to limit: Int) -> FlameData {
    guard parents.count > limit else { return self }
    var whole: [Profile.State.Subject: Double] = [:]
    for (row, weights) in rows { whole[row.state.subject, default: 0] += weights.sum }
    var totals = Array(repeating: 0.0, count: parents.count)
    for (row, weights) in rows {
      totals[row.node] += weights.sum / (whole[row.state.subject] ?? 1)
    }
    for node in parents.indices.reversed() where parents[node] >= 0 {
      totals[parents[node]] += totals[node]
    }
    // A caller weighs at least as much as its callees and precedes them, so it is kept with them.
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
    result.numbers.base.nodes = numbers.base.nodes.map { place[$0] }
    result.numbers.candidate.nodes = numbers.candidate.nodes.map { place[$0] }
    for (row, weights) in rows {
      var row = row
      row.node = place[row.node]
      result.rows[row, default: Weights()] += weights
    }
    return result
  }
}

extension FlameData.Side {
  init?(_ run: Run) {
    guard let profile = run.profile else { return nil }
    self.init(profile: profile, launches: run.sampled.count)
  }
}
