internal import PerfModel

/// CPU time or memory per launch, charged to functions of the program.
///
/// The cost of libraries is charged to the innermost function of the program above them, because
/// that is the code the program's authors can change.
struct Blame {
  /// Nanoseconds or bytes per launch, by function key.
  let time: [String: Double]
  /// Display names, by function key.
  let names: [String: String]

  /// Charges the samples of one state of a profile, averaged over a number of launches.
  init(_ profile: Profile, launches: Int, state: Profile.State = .running) {
    let charged = Self.chargedFunctions(profile)
    var time: [Int: Double] = [:]
    for count in profile.counts where count.state == state {
      time[charged[count.node], default: 0] += count.weight
    }
    var byKey: [String: Double] = [:]
    var named: [String: Profile.Function] = [:]
    for (index, weight) in time {
      let function = profile.functions[index]
      byKey[function.key, default: 0] += weight / Double(max(launches, 1))
      let known = named[function.key]
      if known.map(function.isPlainer) ?? true { named[function.key] = function }
    }
    self.time = byKey
    names = named.mapValues(\.name)
  }

  /// Returns for each node the nearest function of the program at or above it, or its own function
  /// without one.
  private static func chargedFunctions(_ profile: Profile) -> [Int] {
    let isOwn = ProgramCode.isOwn(in: profile)
    var charged: [Int] = []
    charged.reserveCapacity(profile.nodes.count)
    for node in profile.nodes {
      let inherited = node.parent >= 0 ? charged[node.parent] : nil
      let keepsCaller = !isOwn[node.function] && inherited.map { isOwn[$0] } == true
      charged.append(keepsCaller ? inherited ?? node.function : node.function)
    }
    return charged
  }
}
