internal import PerfModel

/// CPU time by function and launch, from the profile of a run; or another amount, such as allocations.
struct FunctionTimes {
  /// Self time in each launch in nanoseconds, by key; functions without samples are absent.
  private(set) var own: [String: [Double]] = [:]
  /// Total time (with callees) in each launch in nanoseconds, by key.
  private(set) var total: [String: [Double]] = [:]
  /// Display names, by key.
  private(set) var names: [String: String] = [:]
  let launches: Int
  /// The numbers of the pairs that the launches form; empty if they form none.
  var pairs: [Int] = []
  /// The number of samples of running threads.
  private(set) var samples = 0
  /// CPU time, or the other amount, of all launches.
  private(set) var sum = 0.0

  /// Creates the amounts of functions without their callees: the amount in each launch, by key.
  init(own: [String: [Double]], names: [String: String], launches: Int) {
    (self.own, self.names, self.launches) = (own, names, launches)
    sum = own.sorted { $0.key < $1.key }.reduce(0) { $1.value.reduce($0, +) }
  }

  /// Sums a profile over the launches with these indices; each launch may have a factor.
  ///
  /// Recursive calls count once in the total. Functions with the same key, e.g. the closures of one
  /// function, count as one.
  ///
  /// - Complexity: O(*nodes* (*depth* + *launches*) + *counts*) time, O(*nodes* *launches*) memory.
  init(_ profile: Profile, launches indices: [Int], factors: [Double]? = nil) {
    launches = indices.count
    let column = Dictionary(zip(indices, indices.indices)) { first, _ in first }
    let keys = Self.numbered(profile.functions.map(\.key))
    names = Dictionary(
      profile.functions.map { ($0.key, $0.name) }, uniquingKeysWith: Profile.Function.plainer)
    var weights = [[Double]](
      repeating: [Double](repeating: 0, count: profile.nodes.count), count: launches)
    for count in profile.counts where count.state == .running {
      guard let launch = column[count.launch] else { continue }
      let weight = count.weight * (factors?[launch] ?? 1)
      weights[launch][count.node] += weight
      samples += count.samples
      sum += weight
    }
    let nodeKeys = profile.nodes.map { keys.numbers[$0.function] }
    let isOutermost = profile.isOutermost(in: nodeKeys)
    let zero = [Double](repeating: 0, count: launches)
    var own = [[Double]](repeating: zero, count: keys.texts.count)
    var total = own
    for launch in 0..<launches {
      let subtree = profile.sumsOfSubtrees(weights[launch])
      for (node, key) in nodeKeys.enumerated().reversed() {
        own[key][launch] += weights[launch][node]
        if isOutermost[node] { total[key][launch] += subtree[node] }
      }
    }
    // The profiler's own work explains no change of the program.
    let agents = Set(
      profile.functions.filter { $0.module.hasPrefix(Profile.agentModules) }.map(\.key))
    for (number, text) in keys.texts.enumerated() where !agents.contains(text) {
      self.own[text] = own[number]
      self.total[text] = total[number]
    }
  }

  /// Returns the distinct texts, and for each text its number.
  private static func numbered(_ texts: [String]) -> (texts: [String], numbers: [Int]) {
    var numbers: [String: Int] = [:]
    var distinct: [String] = []
    let all = texts.map { text in
      if let number = numbers[text] { return number }
      numbers[text] = distinct.count
      distinct.append(text)
      return distinct.count - 1
    }
    return (distinct, all)
  }
}
