internal import PerfModel

/// CPU time or memory per launch, charged to functions of the program.
///
/// The cost of libraries is charged to the innermost function of the program above them, because
/// that is the code the program's authors can change.
struct Blame {
  /// Nanoseconds or bytes per launch, by function key.
  let time: [String: Double]
  let names: [String: String]

  /// Charges the samples of one state of a profile, averaged over a number of launches.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - launches: The number of launches.
  ///   - state: The state of the samples.
  ///   - factors: The factors of the weights by number of the launch, 0 for other launches; nil for 1.
  init(
    _ profile: Profile, launches: Int, state: Profile.State = .running,
    factors: [Int: Double]? = nil
  ) {
    let isOwn =
      state.subject == .memory
      ? ProgramCode.isAllocating(in: profile) : ProgramCode.isOwn(in: profile)
    let charged = ProgramCode.chargedNodes(in: profile, isOwn: isOwn)
    var time: [Int: Double] = [:]
    for count in profile.counts where count.state == state {
      let factor = factors.map { $0[count.launch] ?? 0 } ?? 1
      time[profile.nodes[charged[count.node]].function, default: 0] += count.weight * factor
    }
    let charges = time.map { (profile.functions[$0], $1 / Double(max(launches, 1))) }
    self.time = Dictionary(charges.map { ($0.key, $1) }, uniquingKeysWith: +)
    names = Dictionary(
      charges.map { ($0.0.key, $0.0.name) }, uniquingKeysWith: Profile.Function.plainer)
  }
}
