internal import PerfModel

/// The functions of a profile, sorted by their CPU time; functions with one key count as one.
struct HotFunctions {
  /// The CPU time of a function over all launches, in nanoseconds, with its samples.
  struct Cost {
    let time: Double
    let samples: Int
    /// The time in each requested launch.
    let byLaunch: [Double]
  }

  struct Entry {
    let function: Profile.Function
    /// The function itself.
    let own: Cost
    /// The function and its callees; recursive calls count once.
    let total: Cost
  }

  /// The functions, sorted by self time (descending), then by key.
  let functions: [Entry]
  /// CPU time of all launches in nanoseconds.
  let total: Double
  /// The number of samples of running threads.
  let samples: Int
  /// CPU time of each requested launch, in nanoseconds.
  let totalByLaunch: [Double]

  private typealias Sums = (own: Double, total: Double)

  /// Sums the samples of running threads; the launches with these indices are reported separately.
  ///
  /// - Complexity: O(*nodes* x (*depth* + *launches*) + *functions* x *launches* + *counts*).
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
    let (plainest, keyOfFunction) = Self.numbered(profile.functions)
    let keys = profile.nodes.map { keyOfFunction[$0.function] }
    let isOutermost = profile.isOutermost(in: keys)
    /// Returns for each key the sum over its nodes, and over its nodes with their descendants.
    func sums(_ own: [Double]) -> [Sums] {
      let subtree = profile.sumsOfSubtrees(own)
      var sums = plainest.map { _ in (own: 0.0, total: 0.0) }
      for index in profile.nodes.indices where subtree[index] > 0 {
        sums[keys[index]].own += own[index]
        if isOutermost[index] { sums[keys[index]].total += subtree[index] }
      }
      return sums
    }
    let (times, counts) = (sums(time), sums(samples))
    let byLaunch = timeByLaunch.map(sums)
    func cost(_ key: Int, _ part: (Sums) -> Double) -> Cost {
      Cost(
        time: part(times[key]), samples: Int(part(counts[key])),
        byLaunch: byLaunch.map { part($0[key]) })
    }
    functions = plainest.indices.filter { times[$0].total > 0 }
      .map { key in
        Entry(function: plainest[key], own: cost(key) { $0.own }, total: cost(key) { $0.total })
      }
      .sorted {
        ($1.own.time, $1.total.time, $0.function.key)
          < ($0.own.time, $0.total.time, $1.function.key)
      }
    total = time.reduce(0, +)
    self.samples = Int(samples.reduce(0, +))
    totalByLaunch = timeByLaunch.map { $0.reduce(0, +) }
  }

  /// Returns the plainest function of each key, and for each function the number of its key.
  private static func numbered(
    _ functions: [Profile.Function]
  ) -> (plainest: [Profile.Function], numbers: [Int]) {
    var known: [String: Int] = [:]
    var plainest: [Profile.Function] = []
    let numbers = functions.map { function in
      let number = known[function.key, default: plainest.count]
      if number == plainest.count {
        known[function.key] = number
        plainest.append(function)
      } else if function.isPlainer(than: plainest[number]) {
        plainest[number] = function
      }
      return number
    }
    return (plainest, numbers)
  }
}
