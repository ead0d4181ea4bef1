internal import PerfModel

/// The functions of a profile by the CPU time spent in them.
struct HotFunctions {
  /// A function with its time over all launches, in nanoseconds.
  struct Entry {
    let function: Profile.Function
    /// Time in the function alone.
    var own: Double
    /// Time in it and in all that it calls; recursion counts once.
    var total: Double
    /// Samples in the function alone.
    var samples: Int
    /// Time in the function alone in each launch that was asked about.
    var launches: [Double]
  }

  /// The functions, most time of their own first; equal ones by name.
  let functions: [Entry]
  /// All CPU time in nanoseconds.
  let total: Double
  /// The samples that it was taken from.
  let samples: Int

  /// Counts the samples of running threads.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - launches: The numbers of the launches to tell apart.
  /// - Complexity: O(*nodes* x *depth* + *counts* + *functions* x *launches*).
  init(_ profile: Profile, launches: [Int] = []) {
    var own = Array(repeating: 0.0, count: profile.nodes.count)
    var samples = 0
    for count in profile.counts where count.state == .running {
      own[count.node] += count.weight
      samples += count.samples
    }
    // Parents stand before their children, so one pass from the back sums up subtrees.
    var subtree = own
    for index in profile.nodes.indices.reversed() where profile.nodes[index].parent >= 0 {
      subtree[profile.nodes[index].parent] += subtree[index]
    }
    let keys = FunctionKeys(profile)
    var entries = keys.representatives.map {
      Entry(
        function: $0, own: 0, total: 0, samples: 0,
        launches: Array(repeating: 0, count: launches.count))
    }
    for index in profile.nodes.indices {
      let key = keys.key(ofNode: index)
      entries[key].own += own[index]
      if !keys.isRecursive(index) { entries[key].total += subtree[index] }
    }
    let places = Dictionary(
      launches.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for count in profile.counts where count.state == .running {
      entries[keys.key(ofNode: count.node)].samples += count.samples
      guard let place = places[count.iteration] else { continue }
      entries[keys.key(ofNode: count.node)].launches[place] += count.weight
    }
    functions = entries.filter { $0.total > 0 }.sorted {
      ($1.own, $1.total, $0.function.key) < ($0.own, $0.total, $1.function.key)
    }
    total = own.reduce(0, +)
    self.samples = samples
  }
}
