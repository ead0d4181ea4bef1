internal import PerfModel

/// CPU time, or memory, a launch by the function of the program that answers for it.
///
/// What is spent in libraries is charged to the innermost function of the program above it: that is
/// the line which somebody can change.
struct Blame {
  /// Nanoseconds, or bytes, a launch by the function's key.
  let time: [String: Double]
  /// Names for display by key.
  let names: [String: String]

  /// Charges the samples of a state of a profile that was taken over so many launches.
  init(_ profile: Profile, launches: Int, state: Profile.State = .running) {
    let answering = Self.answeringFunctions(profile)
    var time: [Int: Double] = [:]
    for count in profile.counts where count.state == state {
      time[answering[count.node], default: 0] += count.weight
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

  /// The function that answers for each node: itself, its caller's, or itself where nobody does.
  private static func answeringFunctions(_ profile: Profile) -> [Int] {
    let isOwn = ProgramCode.isOwn(in: profile)
    var answering: [Int] = []
    answering.reserveCapacity(profile.nodes.count)
    for node in profile.nodes {
      let inherited = node.parent >= 0 ? answering[node.parent] : nil
      let keepsCaller = !isOwn[node.function] && inherited.map { isOwn[$0] } == true
      answering.append(keepsCaller ? inherited ?? node.function : node.function)
    }
    return answering
  }
}
