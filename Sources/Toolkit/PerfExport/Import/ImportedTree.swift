internal import PerfModel

/// A call tree that grows by the stacks of an imported file.
struct ImportedTree {
  /// The most stack frames of a stack.
  ///
  /// Some figures take time in proportion to nodes x depth, and flame graphs are drawn recursively.
  static let deepest = 1024
  /// The most nodes.
  static let mostNodes = 1_000_000
  /// The most samples of a count, which a store accepts.
  static let mostSamples = 1 << 40
  /// The largest sum of all weights: 31 years in nanoseconds.
  static let largestSum = 1e18

  /// The properties that the samples of a count share.
  private struct Group: Hashable {
    let node: Int
    let thread: Int
    let state: Profile.State
  }

  private let format: ImportFormat
  private var functions = Numbering<Profile.Function>()
  private var nodes = Numbering<Profile.Node>()
  /// The number of callers of each node.
  private var depths: [Int] = []
  private var threads = Numbering<String>()
  private var groups: [Group: Int] = [:]
  private var sums: [(group: Group, samples: Int, weight: Double)] = []
  private var moments: [Profile.Moment] = []
  private var whole = 0.0
  private var cutSamples = 0

  /// What the weights measure.
  var measure = Profile.Measure.samples
  /// The interval of sampling in nanoseconds; nil if unknown.
  var interval: Double?
  /// Seconds from the first to the last sample; 0 if unknown.
  var seconds = 0.0
  var modules: [Profile.Module] = []
  var warnings: [RunWarning] = []

  init(_ format: ImportFormat) {
    self.format = format
  }

  // MARK: - The tree

  /// Returns the number of a function; one without a name is `[unknown]`.
  mutating func function(_ name: String, module: String = "", file: String? = nil) -> Int {
    let name = name.isEmpty ? "[unknown]" : name
    return functions.number(
      of: Profile.Function(
        name: name, key: FunctionKey.key(of: name), module: module, file: file))
  }

  /// Returns the node of a function below a node, or -1 for none.
  ///
  /// All functions below the deepest caller are one node, `[deeper frames]`.
  ///
  /// - Throws: `malformed` if there are too many nodes.
  mutating func child(
    of parent: Int, _ function: Int, line: Int = 0, isInlined: Bool = false
  ) throws(ImportError) -> Int {
    let depth = parent < 0 ? 0 : depths[parent] + 1
    if depth > Self.deepest { return parent }
    let isDeepest = depth == Self.deepest
    let node = Profile.Node(
      parent: parent, function: isDeepest ? self.function("[deeper frames]") : function,
      line: isDeepest ? 0 : line, isInlined: isInlined && parent >= 0 && !isDeepest)
    let number = nodes.number(of: node)
    guard number < Self.mostNodes else {
      throw malformed(
        "it has more than \(NumberFormat.grouped(Self.mostNodes)) different call paths")
    }
    if number == depths.count { depths.append(depth) }
    return number
  }

  /// Returns whether a node stands for all functions below the deepest caller.
  func isCut(_ node: Int) -> Bool { node >= 0 && depths[node] == Self.deepest }

  mutating func thread(_ name: String) -> Int {
    threads.number(of: name.isEmpty ? "[unknown]" : name)
  }

  // MARK: - Samples

  /// Adds samples of a stack.
  ///
  /// - Throws: `malformed` for a weight that no profile can have.
  mutating func add(
    _ node: Int, thread: Int, state: Profile.State = .running, samples: Int = 1, weight: Double
  ) throws(ImportError) {
    guard weight.isFinite, weight >= 0 else {
      throw malformed("a sample has the weight \(NumberFormat.significant(weight))")
    }
    whole += weight
    guard whole <= Self.largestSum, (0...Self.mostSamples).contains(samples) else {
      throw malformed("its samples weigh more than 10^18 or are more than 2^40")
    }
    let group = Group(node: node, thread: thread, state: state)
    let place = groups[group] ?? sums.count
    if place == sums.count {
      groups[group] = place
      sums.append((group, 0, 0))
    }
    guard samples <= Self.mostSamples - sums[place].samples else {
      throw malformed("a stack has more than 2^40 samples")
    }
    sums[place].samples += samples
    sums[place].weight += weight
    if isCut(node) { cutSamples += min(samples, Self.mostSamples - cutSamples) }
  }

  /// Adds a sample that `add` counted to the time line.
  ///
  /// - Parameters:
  ///   - time: Nanoseconds since the first sample.
  ///   - node: The innermost node.
  ///   - thread: The thread's name.
  ///   - serial: The number of the thread in the file.
  ///   - state: The state of the thread.
  mutating func addMoment(
    at time: UInt64, _ node: Int, thread: Int, serial: Int, state: Profile.State = .running
  ) {
    moments.append(
      Profile.Moment(
        time: time, node: node, thread: thread, serial: serial, phase: 0, frameClass: .none,
        state: state, cpu: nil))
  }

  func malformed(_ reason: String) -> ImportError { .malformed(format, reason: reason) }

  // MARK: - The profile

  /// Returns the profile.
  ///
  /// - Parameter stated: The CPU time of a sample in nanoseconds, for a file that only counts; nil if the
  ///   user did not state it.
  /// - Returns: The profile.
  /// - Throws: `noSamples`, or `hasUnit` if the file has a unit and an interval is stated.
  func profile(interval stated: UInt64?) throws(ImportError) -> Profile {
    guard whole > 0 else { throw .noSamples(format) }
    guard stated == nil || measure.dimension == .count else {
      throw .hasUnit(format, measure: measure.name)
    }
    let counts = sums.map { group, samples, weight in
      let number = measure.hasSamples ? Double(samples) : weight
      return Profile.Count(
        launch: 0, node: group.node, thread: group.thread, phase: 0, frameClass: .none,
        state: group.state, samples: samples, weight: stated.map { Double($0) * number } ?? weight)
    }
    var audit = ProfileAudit()
    // A name of the file is printed as the unit.
    let name = String(measure.name.prefix(60)).withoutControls
    audit.measure = Profile.Measure(
      name: stated == nil ? name : Profile.Measure.cpuTime.name,
      dimension: stated == nil ? measure.dimension : .time, hasSamples: measure.hasSamples)
    if let interval = stated.map({ Double($0) }) ?? interval, interval > 0 {
      audit.rateAsked = 1e9 / interval
    }
    audit.seconds = seconds
    audit.samples = counts.reduce(0) { $0 &+ ($1.state == .running ? $1.samples : 0) }
    audit.warnings = (warnings + cutWarnings).map { warning in
      RunWarning(
        code: warning.code, message: warning.message.withoutControls,
        remedy: warning.remedy.withoutControls)
    }
    var cpu = threads.all.map { _ in 0.0 }
    if audit.measure?.dimension == .time {
      for count in counts where count.state == .running { cpu[count.thread] += count.weight }
    }
    return Profile(
      functions: functions.all, nodes: nodes.all,
      threads: zip(threads.all, cpu).map { Profile.Thread(name: $0, cpu: UInt64(nearest: $1)) },
      phases: [""], counts: counts,
      timeline: moments.isEmpty ? [:] : [0: moments.sorted { $0.time < $1.time }], audit: audit,
      modules: modules)
  }

  private var cutWarnings: [RunWarning] {
    guard cutSamples > 0 else { return [] }
    return [
      RunWarning(
        code: "import.deep",
        message: "\(NumberFormat.grouped(cutSamples)) imported samples have more than "
          + "\(NumberFormat.grouped(Self.deepest)) stack frames",
        remedy: "The innermost ones are shown as [deeper frames].")
    ]
  }
}
