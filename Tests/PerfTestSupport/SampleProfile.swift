internal import PerfModel

/// Creates the profile of a sample run: a call tree of the book workloads with a time line.
enum SampleProfile {
  static func make(
    of launches: [Launch], samples: Int, isNaive: Bool, random: inout SampleRandom
  ) -> Profile {
    let paths = SampleStacks.paths(isNaive: isNaive)
    var tree = TreeBuilder()
    var counts: [CountKey: Int] = [:]
    var timeline: [Int: [Profile.Moment]] = [:]
    let total = paths.reduce(0) { $0 + $1.weight }
    for (position, launch) in launches.enumerated() {
      // The first launches get the remainder.
      let share = samples / launches.count + (position < samples % launches.count ? 1 : 0)
      let origin = launch.frames.first?.slot ?? 0
      let end = launch.frames.last.map { $0.began + $0.cost - origin } ?? 400_000_000
      var cursor = 0
      var last: [Int: UInt64] = [:]
      for number in 0..<share {
        let slot = Double(end) / Double(share)
        let time = UInt64((Double(number) + random.unit()) * slot)
        var draw = random.unit() * total
        let path = paths.first { path in
          draw -= path.weight
          return draw < 0
        }
        guard let path else { continue }
        let node = tree.node(for: path, random: &random)
        while cursor < launch.frames.count,
          launch.frames[cursor].began + launch.frames[cursor].cost <= origin + time
        {
          cursor += 1
        }
        let frame = cursor < launch.frames.count ? launch.frames[cursor] : nil
        let isInside = frame.map { $0.began <= origin + time } ?? false
        let frameClass: Profile.FrameClass =
          path.thread != 0 || !isInside ? .none : (frame?.hitch ?? 0) > 0 ? .missed : .onTime
        // As in `SampleLaunch`, a signpost surrounds every hundredth frame.
        let isPage = path.thread == 0 && isInside && frame.map { $0.index % 100 == 0 } ?? false
        let key = CountKey(
          launch: launch.index, node: node, thread: path.thread, phase: path.phase,
          signpost: isPage ? 1 : 0, frameClass: frameClass, state: path.state)
        counts[key, default: 0] += 1
        timeline[launch.index, default: []].append(
          .init(
            time: time, node: node, thread: path.thread, serial: path.thread + 1,
            phase: path.phase, signpost: key.signpost, frameClass: frameClass, state: path.state,
            cpu: last.updateValue(time, forKey: path.thread).map { min(time - $0, 1_040_000) }))
      }
    }
    // The thread of a launch ran 4 % longer than its ticks.
    let weight = 1.04e6
    let listed = counts.sorted { $0.key < $1.key }.map { key, count in
      key.count(samples: count, weight: Double(count) * weight)
    }
    return Profile(
      functions: tree.functions, nodes: tree.nodes,
      threads: SampleStacks.threads.enumerated().map { index, name in
        let mine = listed.filter { $0.thread == index && $0.state == .running }
        return .init(name: name, cpu: UInt64(mine.reduce(0) { $0 + $1.weight }))
      },
      phases: SampleStacks.phases, signposts: ["", "page"], counts: listed, timeline: timeline,
      audit: audit(samples: samples, launches: launches.count),
      modules: modules(of: tree.functions))
  }

  /// The modules of the functions, with made-up build ids.
  private static func modules(of functions: [Profile.Function]) -> [Profile.Module] {
    var seen: Set<String> = []
    return functions.map(\.module).filter { seen.insert($0).inserted }.enumerated().map {
      Profile.Module(
        name: $1, path: "/opt/sample/\($1)", buildID: String(repeating: "0\($0 % 10)", count: 20))
    }
  }

  private static func audit(samples: Int, launches: Int) -> ProfileAudit {
    var audit = ProfileAudit()
    audit.rateAsked = 1000
    audit.rateReached = 993.4
    audit.seconds = 4.25 * Double(launches)
    audit.ticks = Int(audit.seconds * audit.rateReached)
    audit.ticksMissed = 28 * launches
    audit.ticksLate = 3 * launches
    audit.signals = samples + 4
    audit.signalsBlocked = 1
    audit.samples = samples
    audit.dropped = 2
    audit.complete = samples - samples / 200
    audit.truncated = samples / 400
    audit.failed = samples / 200 - samples / 400
    audit.failures = ["no unwind information": audit.failed]
    audit.handlerP50 = 780
    audit.handlerP99 = 2140
    audit.tickerCPU = UInt64(audit.seconds * 24e6)
    audit.cpusBusy = 1.31
    audit.ringHighWater = 0.08
    audit.signalCost = 9340
    audit.signalCostLow = 8120
    audit.signalCostHigh = 11_600
    audit.overhead = 0.0101
    audit.overheadLow = 0.0089
    audit.overheadHigh = 0.0124
    audit.warnings = [
      RunWarning(
        code: "sampler.dropped", message: "2 samples were dropped",
        remedy: "Lower --rate if there are more of them.")
    ]
    return audit
  }

  /// The properties that the samples of a count share.
  private struct CountKey: Hashable, Comparable {
    let launch: Int
    let node: Int
    let thread: Int
    let phase: Int
    let signpost: Int
    let frameClass: Profile.FrameClass
    let state: Profile.State

    static func < (first: CountKey, second: CountKey) -> Bool {
      first.order.lexicographicallyPrecedes(second.order)
    }

    private var order: [Int] {
      [launch, node, thread, phase, signpost, frameClass.rawValue, state.rawValue]
    }

    func count(samples: Int, weight: Double) -> Profile.Count {
      .init(
        launch: launch, node: node, thread: thread, phase: phase, signpost: signpost,
        frameClass: frameClass, state: state, samples: samples, weight: weight)
    }
  }

  /// A call tree that grows with each stack.
  private struct TreeBuilder {
    var functions: [Profile.Function] = []
    var nodes: [Profile.Node] = []
    private var functionIndex: [Profile.Function: Int] = [:]
    private var nodeIndex: [Profile.Node: Int] = [:]

    /// Returns the innermost node of a stack, at some line of its last function.
    mutating func node(for path: SampleStacks.Path, random: inout SampleRandom) -> Int {
      var parent = -1
      for (depth, frame) in path.frames.enumerated() {
        let isLeaf = depth == path.frames.count - 1
        let line = frame.line == 0 ? 0 : frame.line + (isLeaf ? Int(random.next() % 24) : 0)
        let function = index(of: frame.function)
        let node = Profile.Node(
          parent: parent, function: function, line: line, isInlined: frame.isInlined,
          isAsync: frame.isAsync)
        if let known = nodeIndex[node] {
          parent = known
        } else {
          nodes.append(node)
          parent = nodes.count - 1
          nodeIndex[node] = parent
        }
      }
      return parent
    }

    private mutating func index(of function: Profile.Function) -> Int {
      if let known = functionIndex[function] { return known }
      functions.append(function)
      functionIndex[function] = functions.count - 1
      return functions.count - 1
    }
  }
}
