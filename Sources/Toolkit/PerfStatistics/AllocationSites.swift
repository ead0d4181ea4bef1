internal import PerfModel

/// The allocations of the launches of a run, by function of the program and by the function that called it.
struct AllocationSites {
  /// The key in place of a caller's for functions that no function of the program called.
  static let noCaller = ""

  /// A function and its caller, by their keys.
  private struct Site: Hashable {
    let function: String
    let caller: String
  }

  /// The amount of each site in each launch: allocations or bytes.
  private var amounts: [Site: [Double]] = [:]
  private let names: [String: String]
  private let launches: Int
  private let pairs: [Int]

  /// Sums the sampled allocations of some launches; nil if the run was measured without sampled allocations.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - state: `allocations` for numbers, `allocated` for bytes.
  ///   - launches: The launches.
  ///   - pairs: The numbers of the pairs that they form; empty if they form none.
  init?(_ run: Run, _ state: Profile.State, in launches: [Launch], pairs: [Int]) {
    guard let profile = run.profile,
      run.launches.contains(where: { $0.metrics[MetricName.allocCount] != nil })
    else { return nil }
    let states = Set(profile.counts.map(\.state))
    // Runs of earlier versions have bytes without numbers.
    guard states.contains(state) || !states.contains(.allocated) else { return nil }
    self.launches = launches.count
    self.pairs = pairs
    names = Dictionary(
      profile.functions.map { ($0.key, $0.name) }, uniquingKeysWith: Profile.Function.plainer)
    let column = Dictionary(zip(launches.map(\.index), launches.indices)) { first, _ in first }
    let isOwn = ProgramCode.isAllocating(in: profile)
    let charged = ProgramCode.chargedNodes(in: profile, isOwn: isOwn)
    var sites: [Int: Site] = [:]
    let none = [Double](repeating: 0, count: launches.count)
    for count in profile.counts where count.state == state {
      guard let launch = column[count.launch] else { continue }
      let node = charged[count.node]
      let site = sites[node] ?? Self.site(of: node, in: profile, isOwn)
      sites[node] = site
      amounts[site, default: none][launch] += count.weight
    }
  }

  /// Returns the function of a node and the nearest other function of the program above it.
  private static func site(of node: Int, in profile: Profile, _ isOwn: [Bool]) -> Site {
    func key(_ node: Int) -> String { profile.functions[profile.nodes[node].function].key }
    let function = key(node)
    var caller = profile.nodes[node].parent
    while caller >= 0, !isOwn[profile.nodes[caller].function] || key(caller) == function {
      caller = profile.nodes[caller].parent
    }
    return Site(function: function, caller: caller < 0 ? noCaller : key(caller))
  }

  /// The amounts by function.
  var functions: FunctionTimes { times(amounts) { $0.function } }

  /// Returns the amounts of a function by caller.
  func callers(of function: String) -> FunctionTimes {
    times(amounts.filter { $0.key.function == function }) { $0.caller }
  }

  private func times(_ amounts: [Site: [Double]], by key: (Site) -> String) -> FunctionTimes {
    var sums: [String: [Double]] = [:]
    // In a fixed order, so that equal runs have equal sums.
    let sorted = amounts.sorted {
      ($0.key.function, $0.key.caller) < ($1.key.function, $1.key.caller)
    }
    for (site, values) in sorted {
      sums[key(site)] = sums[key(site)].map { zip($0, values).map(+) } ?? values
    }
    var times = FunctionTimes(own: sums, names: names, launches: launches)
    times.pairs = pairs
    return times
  }
}
