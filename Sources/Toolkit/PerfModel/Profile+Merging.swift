extension Profile {
  /// Returns one profile of the launches of two profiles that have no launch in common.
  ///
  /// - Complexity: O(*nodes* + *counts* + *samples*).
  public func merged(with other: Profile) -> Profile {
    var parts = Merger()
    parts.add(self)
    let firstCounts = parts.counts.count
    parts.add(other)
    return Profile(
      functions: parts.functions.all, nodes: parts.nodes.all,
      threads: parts.threads.all.enumerated().map { Thread(name: $1, cpu: parts.cpu[$0]) },
      phases: parts.phases.all, signposts: parts.signposts.all, counts: parts.counts,
      timeline: parts.timeline, audit: audit.merged(with: other.audit, countsBefore: firstCounts),
      modules: (modules + other.modules).uniqued())
  }

  /// Returns the profile with the numbers of the launches that it covers.
  public func covering(_ launches: Set<Int>) -> Profile {
    var audit = audit
    audit.launches = launches
    return with(audit)
  }

  /// The parts of the profile that results.
  private struct Merger {
    var functions = Numbering<Function>()
    var nodes = Numbering<Node>()
    var threads = Numbering<String>()
    /// The CPU time of each thread in nanoseconds.
    var cpu: [UInt64] = []
    var phases = Numbering<String>()
    var signposts = Numbering<String>()
    var counts: [Count] = []
    var timeline: [Int: [Moment]] = [:]

    mutating func add(_ profile: Profile) {
      let functionPlaces = profile.functions.map { functions.number(of: $0) }
      var places: [Int] = []
      places.reserveCapacity(profile.nodes.count)
      for node in profile.nodes {
        places.append(
          nodes.number(
            of: Node(
              parent: node.parent < 0 ? -1 : places[node.parent],
              function: functionPlaces[node.function], line: node.line, isInlined: node.isInlined,
              isAsync: node.isAsync)))
      }
      let threadPlaces = profile.threads.map { threads.number(of: $0.name) }
      cpu += Array(repeating: 0, count: threads.all.count - cpu.count)
      for (place, thread) in zip(threadPlaces, profile.threads) {
        cpu[place] = cpu[place].clampedSum(thread.cpu)
      }
      let phasePlaces = profile.phases.map { phases.number(of: $0) }
      let signpostPlaces = profile.signposts.map { signposts.number(of: $0) }
      counts += profile.counts.map { count in
        Count(
          launch: count.launch, node: places[count.node], thread: threadPlaces[count.thread],
          phase: phasePlaces[count.phase], signpost: signpostPlaces[count.signpost],
          frameClass: count.frameClass, state: count.state, samples: count.samples,
          weight: count.weight)
      }
      for (launch, moments) in profile.timeline {
        timeline[launch, default: []] += moments.map { moment in
          Moment(
            time: moment.time, node: places[moment.node], thread: threadPlaces[moment.thread],
            serial: moment.serial, phase: phasePlaces[moment.phase],
            signpost: signpostPlaces[moment.signpost], frameClass: moment.frameClass,
            state: moment.state, cpu: moment.cpu)
        }
      }
    }
  }
}

extension ProfileAudit {
  /// Returns the audit of two parts of a run.
  ///
  /// Counts are added. A quantile, a cost and a share are those of the part with more samples, because the
  /// single times are not stored.
  ///
  /// - Parameters:
  ///   - other: The audit of the second part.
  ///   - countsBefore: The number of counts of the first part's profile.
  /// - Returns: The audit.
  func merged(with other: ProfileAudit, countsBefore: Int) -> ProfileAudit {
    var sum = samples >= other.samples ? self : other
    let counters: [WritableKeyPath<ProfileAudit, Int>] = [
      \.ticks, \.ticksMissed, \.ticksLate, \.signals, \.signalsBlocked, \.signalsFailed, \.samples,
      \.dropped, \.complete, \.truncated, \.waits, \.waitsComplete, \.partial, \.failed, \.garbage,
    ]
    for counter in counters {
      sum[keyPath: counter] = self[keyPath: counter].clampedSum(other[keyPath: counter])
    }
    sum.allocationsLost = Self.sum(allocationsLost, other.allocationsLost)
    sum.allocationsKept = Self.sum(allocationsKept, other.allocationsKept)
    sum.failures = failures.merging(other.failures) { $0.clampedSum($1) }
    sum.tickerCPU = tickerCPU.clampedSum(other.tickerCPU)
    sum.threadsBlocking = max(threadsBlocking, other.threadsBlocking)
    sum.ringHighWater = max(ringHighWater, other.ringHighWater)
    sum.seconds = seconds + other.seconds
    if sum.seconds > 0 {
      sum.rateReached =
        (rateReached * seconds + other.rateReached * other.seconds) / sum.seconds
    }
    if let first = longestTaskWaits, let second = other.longestTaskWaits {
      sum.longestTaskWaits = first.merging(
        second.map { ($0.key + countsBefore, $0.value) }, uniquingKeysWith: max)
    } else if let second = other.longestTaskWaits {
      sum.longestTaskWaits = Dictionary(
        uniqueKeysWithValues: second.map { ($0.key + countsBefore, $0.value) })
    } else {
      sum.longestTaskWaits = longestTaskWaits
    }
    sum.launches = nil
    sum.warnings = (warnings + other.warnings).uniqued()
    return sum
  }

  /// Returns the sum of a counter in two parts; nil if it is unknown in either part.
  private static func sum(_ first: Int?, _ second: Int?) -> Int? {
    guard let first, let second else { return nil }
    return first.clampedSum(second)
  }
}

extension FixedWidthInteger {
  /// Returns the sum, at most the largest value: a store may contain any number.
  fileprivate func clampedSum(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
