internal import PerfModel

/// The functions of a profile, sorted by their CPU time.
struct HotFunctions {
  /// A function with its CPU time over all launches, in nanoseconds.
  struct Entry {
    let function: Profile.Function
    /// Time in the function itself.
    let own: Double
    /// Time in the function and its callees; recursive calls count once.
    let total: Double
    /// Samples in the function itself.
    let ownSamples: Int
    /// Samples in the function and its callees.
    let totalSamples: Int
    /// Time in the function itself, for each requested launch.
    let ownByLaunch: [Double]
    /// Time in the function and its callees, for each requested launch.
    let totalByLaunch: [Double]
  }

  /// The functions, sorted by self time (descending), then by key.
  let functions: [Entry]
  /// CPU time of all launches in nanoseconds.
  let total: Double
  /// The number of samples of running threads.
  let samples: Int
  /// CPU time of each requested launch, in nanoseconds.
  let totalByLaunch: [Double]

  /// Sums the samples of running threads.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - launches: The launches to report separately, by index.
  /// - Complexity: O((*nodes* x *depth* + *functions*) x *launches* + *counts*).
  init(_ profile: Profile, launches: [Int] = []) {
    let none = Array(repeating: 0.0, count: profile.nodes.count)
    var (time, samples) = (none, none)
    var timeByLaunch = launches.map { _ in none }
    let places = Dictionary(
      launches.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for count in profile.counts where count.state == .running {
      time[count.node] += count.weight
      samples[count.node] += Double(count.samples)
      if let place = places[count.launch] { timeByLaunch[place][count.node] += count.weight }
    }
    let keys = FunctionKeys(profile)
    let times = Self.sums(time, of: profile, keys)
    let counts = Self.sums(samples, of: profile, keys)
    let byLaunch = timeByLaunch.map { Self.sums($0, of: profile, keys) }
    functions = keys.representatives.indices.filter { times[$0].total > 0 }
      .map { key in
        Entry(
          function: keys.representatives[key], own: times[key].own, total: times[key].total,
          ownSamples: Int(counts[key].own), totalSamples: Int(counts[key].total),
          ownByLaunch: byLaunch.map { $0[key].own }, totalByLaunch: byLaunch.map { $0[key].total })
      }
      .sorted { ($1.own, $1.total, $0.function.key) < ($0.own, $0.total, $1.function.key) }
    total = time.reduce(0, +)
    self.samples = Int(samples.reduce(0, +))
    totalByLaunch = timeByLaunch.map { $0.reduce(0, +) }
  }

  /// Returns for each function the sum over its nodes, and over its nodes with their descendants.
  private static func sums(
    _ own: [Double], of profile: Profile, _ keys: FunctionKeys
  ) -> [(own: Double, total: Double)] {
    // Parents precede their children, so one backward pass sums up the subtrees.
    var subtree = own
    for index in profile.nodes.indices.reversed() where profile.nodes[index].parent >= 0 {
      subtree[profile.nodes[index].parent] += subtree[index]
    }
    var sums = keys.representatives.map { _ in (own: 0.0, total: 0.0) }
    for index in profile.nodes.indices where subtree[index] > 0 {
      let key = keys.key(ofNode: index)
      sums[key].own += own[index]
      if !keys.isRecursive(index) { sums[key].total += subtree[index] }
    }
    return sums
  }
}
