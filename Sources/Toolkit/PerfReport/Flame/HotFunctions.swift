internal import PerfModel

/// The functions of a profile by the CPU time spent in them.
struct HotFunctions {
  /// A function with its time over all launches, in nanoseconds.
  struct Entry {
    let function: Profile.Function
    /// Time in the function alone.
    let own: Double
    /// Time in it and in all that it calls; recursion counts once.
    let total: Double
    /// Samples in the function alone.
    let ownSamples: Int
    /// Samples in it and in all that it calls.
    let totalSamples: Int
    /// Time in the function alone in each launch that was asked about.
    let ownByLaunch: [Double]
    /// Time in it and in all that it calls in each of them.
    let totalByLaunch: [Double]
  }

  /// The functions, most time of their own first; equal ones by name.
  let functions: [Entry]
  /// All CPU time in nanoseconds.
  let total: Double
  /// The samples that it was taken from.
  let samples: Int
  /// All CPU time of each launch that was asked about, in nanoseconds.
  let totalByLaunch: [Double]

  /// Counts the samples of running threads.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - launches: The numbers of the launches to tell apart.
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

  /// Returns the sums over each function's nodes: of what lies in them alone, and with all below.
  private static func sums(
    _ own: [Double], of profile: Profile, _ keys: FunctionKeys
  ) -> [(own: Double, total: Double)] {
    // Parents stand before their children, so one pass from the back sums up subtrees.
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
