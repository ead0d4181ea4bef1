internal import Glibc
internal import PerfModel

/// Adds up the audits of a run's launches.
struct AuditTally {
  private var audit = ProfileAudit()
  private let signalCost: Result<SignalCost, SignalCost.Obstacle>?
  private var stackBytes = 0
  private var handlers: [UInt32] = []
  /// Those that had no callers behind awaits to read, which take 1 us each.
  private var plainHandlers: [UInt32] = []
  private var sampledCPU: UInt64 = 0
  private var interval: UInt64 = 0
  private var signal = CaptureConfiguration.defaultSignal
  private var samplingTime: UInt64 = 0
  private var threadsWithoutRing = 0
  private var mostThreads = 0
  private var hasForeignHandler = false
  private var stops: Set<SamplingStop> = []
  private var isAbsent = false
  private var hasLeft = false
  private var tickerFailure: Int32 = 0
  private var statesUnread: UInt64 = 0
  private var allocationsLost = 0
  private var seesNoAllocation = false
  private var warnings: [RunWarning] = []
  private var isOverwritten = false
  /// Of the launches' programs whose CPU time is known.
  private var coverage = SampledShare()
  /// Of the processes that they have started.
  private var childrenCoverage = SampledShare()
  private var followsChildren = false

  init(signalCost: Result<SignalCost, SignalCost.Obstacle>?) {
    self.signalCost = signalCost
  }

  /// Adds a process: a launch's program, or a child of it.
  ///
  /// - Parameters:
  ///   - capture: What it left behind.
  ///   - samples: Those that count.
  ///   - isChild: Which of the two it is.
  ///   - end: Its end, or the measured phase's, in CLOCK_MONOTONIC nanoseconds.
  ///   - cpu: The CPU time in nanoseconds that its sampled threads took.
  ///   - spent: The CPU time that it took itself; nil when that is not known.
  mutating func add(
    _ capture: Capture, _ samples: [WalkedSample], isChild: Bool, until end: UInt64 = .max,
    cpu: UInt64, spent: UInt64? = nil
  ) {
    var agent = capture.audit
    if !agent.isPlausible(interval: capture.interval, until: end) {
      agent = AgentAudit()
      isOverwritten = true
    }
    interval = capture.interval
    signal = capture.signal
    stackBytes = max(stackBytes, capture.stackBytes)
    mostThreads = max(mostThreads, capture.ringCount - 1)
    samplingTime = samplingTime.addingClamped(
      Self.samplingTime(agent, interval: capture.interval, until: end))
    sampledCPU = sampledCPU.addingClamped(cpu)
    if isChild { childrenCoverage.sampled = childrenCoverage.sampled.addingClamped(cpu) }
    if let spent { coverage.add(spent: spent, sampled: cpu) }
    audit.ticks = audit.ticks.addingClamped(UInt64(agent.ticks))
    audit.ticksMissed = audit.ticksMissed.addingClamped(UInt64(agent.ticksMissed))
    audit.ticksLate = audit.ticksLate.addingClamped(UInt64(agent.ticksLate))
    audit.signals = audit.signals.addingClamped(UInt64(agent.signalsSent))
    audit.signalsBlocked = audit.signalsBlocked.addingClamped(UInt64(agent.signalsBlocked))
    audit.dropped = audit.dropped.addingClamped(UInt64(capture.samplesDropped))
    audit.tickerCPU = audit.tickerCPU.addingClamped(agent.tickerCPU)
    // Launches are alike, but the processes of one are not.
    let blockingBefore = isChild ? audit.threadsBlocking : 0
    audit.threadsBlocking = max(
      audit.threadsBlocking, blockingBefore.addingClamped(UInt64(agent.threadsBlocking)))
    audit.ringHighWater = max(audit.ringHighWater, capture.ringHighWater)
    audit.garbage += capture.garbage
    threadsWithoutRing = max(
      threadsWithoutRing,
      (isChild ? threadsWithoutRing : 0).addingClamped(UInt64(agent.threadsWithoutRing)))
    hasForeignHandler = hasForeignHandler || agent.hasForeignHandler
    if let stop = agent.stop { stops.insert(stop) }
    isAbsent = isAbsent || capture.agentVersion == 0
    hasLeft = hasLeft || agent.hasLeft
    tickerFailure = max(tickerFailure, agent.tickerFailure)
    statesUnread = statesUnread.addingClamped(UInt64(agent.statesUnread))
    allocationsLost = allocationsLost.addingClamped(UInt64(agent.allocationsDropped))
      .addingClamped(UInt64(agent.allocationsUntracked))
    seesNoAllocation = seesNoAllocation || capture.allocations?.count == 0
    warnings += capture.warnings
    audit.signalsFailed = audit.signalsFailed.addingClamped(UInt64(agent.signalsFailed))
    for sample in samples where sample.isWaiting {
      audit.waits += 1
      if sample.end == .complete { audit.waitsComplete += 1 }
      if sample.end == .partial { audit.partial += 1 }
    }
    for sample in samples where !sample.isWaiting {
      audit.samples += 1
      handlers.append(sample.handler)
      if sample.awaiting == 0 { plainHandlers.append(sample.handler) }
      switch sample.end {
      case .complete: audit.complete += 1
      case .truncated: audit.truncated += 1
      default:
        audit.failed += 1
        audit.failures[sample.end.text, default: 0] += 1
      }
    }
  }

  /// Notes what the processes took that a launch's program has started and waited for.
  mutating func addChildren(spent: UInt64, areFollowed: Bool) {
    childrenCoverage.add(spent: spent, sampled: 0)
    followsChildren = areFollowed
  }

  /// Returns how long a process was sampled.
  ///
  /// One that was killed, or whose ticker had no CPU at its end, has not written when its sampling ended: it
  /// did when the process was gone. Of one that went on as another program the grid counts.
  private static func samplingTime(
    _ agent: AgentAudit, interval: UInt64, until end: UInt64
  ) -> UInt64 {
    guard agent.samplingTime == 0 else { return agent.samplingTime }
    let began = agent.samplingBegan
    if !agent.hasLeft, began > 0, end > began, end < .max { return end - began }
    let intervals = UInt64(agent.ticks).addingClamped(UInt64(agent.ticksMissed))
    return intervals.multipliedReportingOverflow(by: interval).partialValue
  }

  /// Returns the audit of all launches.
  func audit(cpusBusy: Double?, warnings more: [RunWarning]) -> ProfileAudit {
    var audit = audit
    audit.cpusBusy = cpusBusy
    audit.seconds = Double(samplingTime) / 1e9
    audit.rateAsked = interval > 0 ? 1e9 / Double(interval) : 0
    audit.rateReached = samplingTime > 0 ? Double(audit.ticks) / audit.seconds : 0
    if let (p50, p99) = Self.percentiles(handlers) {
      audit.handlerP50 = p50
      audit.handlerP99 = p99
    }
    if sampledCPU > 0 { estimateOverhead(&audit) }
    // Launches may say the same.
    var known: Set<RunWarning> = []
    audit.warnings = (warnings + more + findings(audit) + costs(audit)).filter {
      known.insert($0).inserted
    }
    return audit
  }

  private func estimateOverhead(_ audit: inout ProfileAudit) {
    let handling = handlers.reduce(0.0) { $0 + Double($1) }
    func overhead(_ cost: Double) -> Double {
      (handling + cost * Double(handlers.count)) / Double(sampledCPU)
    }
    switch signalCost {
    case .success(let cost):
      audit.signalCost = cost.median
      audit.signalCostLow = cost.middleHalf.lowerBound
      audit.signalCostHigh = cost.middleHalf.upperBound
    case .failure(let obstacle): audit.signalCostObstacle = obstacle.description
    case nil: break
    }
    audit.overhead = overhead(audit.signalCost ?? 0)
    audit.overheadLow = audit.signalCostLow.map(overhead)
    audit.overheadHigh = audit.signalCostHigh.map(overhead)
  }

  /// The median and the 99th percentile by nearest rank: times that some handlers really took.
  private static func percentiles(_ times: [UInt32]) -> (p50: Double, p99: Double)? {
    let sorted = times.sorted()
    guard let last = sorted.last else { return nil }
    return (
      Double(sorted[(sorted.count - 1) / 2]),
      Double(sorted.count >= 100 ? sorted[(sorted.count * 99 - 1) / 100] : last)
    )
  }

  private func findings(_ audit: ProfileAudit) -> [RunWarning] {
    var warn = SamplerWarnings()
    if isOverwritten {
      warn(
        "overwritten",
        "the program wrote over what the sampler counts in its memory; those figures are left out",
        "Look for memory errors in it, as by -fsanitize=address")
    }
    if interval > 0 { warn.all += absences() }
    // Those have said why.
    if interval > 0, warn.all.isEmpty { warn.all += omissions() }
    if audit.samples == 0 && interval > 0 && warn.all.isEmpty {
      warn(
        "empty", "no sample was taken: no thread used the CPU while a tick was made",
        "Let the program do more, or ask for a higher rate")
    }
    let asked = audit.rateAsked * audit.seconds
    if audit.samples > 0,
      Double(audit.ticks) + SamplerBounds.ticksToSpare
        < SamplerBounds.rateReached(atRate: audit.rateAsked) * asked
    {
      warn(
        "rate_low",
        "\(Int(audit.rateReached)) of \(Int(audit.rateAsked)) ticks a second were made",
        "Leave a CPU free for the sampler, or ask for a lower rate")
    }
    if audit.dropped > 0 {
      warn("dropped", "\(audit.dropped) samples were dropped", "Ask for a lower rate")
    }
    if (audit.truncated + audit.failed) * 100 > audit.samples {
      let reasons = audit.failures.merging(
        audit.truncated > 0 ? ["truncated": audit.truncated] : [:], uniquingKeysWith: +)
      warn(
        "incomplete",
        "\(audit.truncated + audit.failed) of \(audit.samples) stacks have no outermost frame ("
          + reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
          .map { "\($0.value) \($0.key)" }.joined(separator: ", ") + ")",
        audit.truncated > audit.failed
          ? "Copy more of the stack by --stack-size 64" : "Build with unwind tables")
    }
    if audit.threadsBlocking > 0 {
      warn(
        "blocked",
        "\(audit.threadsBlocking) threads were not sampled: they block the sampling signal or wait for it",
        "Sample with a signal that they do not use, e.g. --signal "
          + SamplingSignal.alternative(to: signal))
    }
    if threadsWithoutRing > 0 {
      warn(
        "threads",
        "\(threadsWithoutRing) threads were not sampled: there is room for \(mostThreads) at once",
        "Let the program run fewer threads, or read the profile as one of the others")
    }
    if audit.signalsFailed > 0 {
      warn(
        "refused", "the system refused to send \(audit.signalsFailed) signals",
        "A sandbox may forbid it: measure outside of it")
    }
    if hasForeignHandler {
      warn(
        "handler", "the program took the sampling signal for itself",
        "Sample with one that it does not use, as --signal "
          + SamplingSignal.alternative(to: signal))
    }
    warn.all += stopped()
    if allocationsLost > 0 {
      warn(
        "allocations",
        "\(allocationsLost) sampled allocations or ends of them were lost: "
          + "what is called live may be too much",
        "Free a CPU, or let the program allocate less")
    }
    if seesNoAllocation {
      warn(
        "no_allocations",
        "not one allocation was seen: the program makes none, or has an allocator "
          + "built in, whose calls nobody sees",
        "Build it with the system's allocator, or one that is a library")
    }
    if audit.garbage > 0 {
      warn(
        "garbage", "\(audit.garbage) records made no sense and were passed over",
        "The program writes where it should not: look for memory errors in it")
    }
    return warn.all
  }
}

extension AuditTally {
  /// Says why the agent could not sample at all, or not to the end.
  private func absences() -> [RunWarning] {
    var warn = SamplerWarnings()
    if isAbsent {
      warn(
        "absent", "the program began without the agent",
        "Leave LD_PRELOAD and PERFKIT_* in its environment, and memory for what is captured "
          + "(ulimit -v)")
    }
    if hasLeft {
      warn(
        "left", "the process went on as another program, in which the agent is not",
        "Let it have its environment (no env -i) and more memory (ulimit -v); a static or setuid "
          + "program cannot be sampled")
    }
    if tickerFailure == EINVAL {
      warn(
        "no_ticker",
        "sampling ended when the program entered a namespace: its children have process ids of their "
          + "own from there on, and the system allows it no other thread",
        "Sample its children by --follow")
    } else if tickerFailure != 0 {
      warn(
        "no_ticker", "the sampler's thread could not be started: \(systemMessage(tickerFailure))",
        "Let the program have a thread and 256 KiB more (ulimit -u, ulimit -v, the cgroup's pids.max)"
      )
    }
    // A wait is looked at once.
    let waits = UInt64(audit.waits).addingClamped(statesUnread)
    if statesUnread > 0, audit.samples == 0 || statesUnread > waits / 100 {
      warn(
        "descriptors",
        "the program had no descriptor to spare for \(statesUnread) of \(waits) looks at threads that wait",
        "Let it have more of them (ulimit -n)")
    }
    return warn.all
  }
}

extension AuditTally {
  /// Returns a warning for each reason for which sampling ended before a process did.
  private func stopped() -> [RunWarning] {
    var warn = SamplerWarnings()
    if stops.contains(.filter) {
      warn(
        "filtered",
        "sampling ended when the program installed a filter of system calls (seccomp), "
          + "which may forbid the system calls of the sampler",
        "Disable the program's sandbox while it is profiled")
    }
    if stops.contains(.credentials) {
      warn(
        "credentials",
        "sampling ended when the program changed the capabilities of one of its threads, "
          + "which the sampler's thread must not share",
        "Start the program with its final user and capabilities")
    }
    if stops.contains(.namespace) {
      warn(
        "namespace",
        "sampling ended when the program entered a namespace, "
          + "which the system allows to processes with one thread only",
        "Start the program inside of the namespace")
    }
    if stops.contains(.firstThread) {
      warn(
        "first_thread",
        "sampling of a child process ended when its first thread ended before the others",
        "Sample that process on its own")
    }
    return warn.all
  }
}

extension AuditTally {
  /// Says how much of what was spent nobody has sampled.
  private func omissions() -> [RunWarning] {
    var warn = SamplerWarnings()
    if coverage.isBelow(SamplerBounds.coverage) {
      warn(
        "coverage",
        "of \(time(coverage.spent)) of CPU time that the program took, only that of threads which took "
          + "\(time(coverage.sampled)) was sampled",
        "Let the sampler's thread have a CPU, and the program fewer threads: what is missing may be "
          + "anything")
    }
    let all = coverage.spent.addingClamped(childrenCoverage.spent)
    if followsChildren, childrenCoverage.isBelow(SamplerBounds.childrenCoverage) {
      warn(
        "children",
        "of \(time(childrenCoverage.spent)) of CPU time that the program's processes took "
          + "\(time(childrenCoverage.sampled)) were sampled",
        "Static and setuid programs cannot be followed, nor can what a process does before its program "
          + "begins")
    } else if !followsChildren, childrenCoverage.isBelow(SamplerBounds.childrenCoverage),
      Double(childrenCoverage.spent) > (1 - SamplerBounds.childrenCoverage) * Double(all)
    {
      warn(
        "children",
        "\(percent(Double(childrenCoverage.spent) / Double(all))) of the CPU time was that of processes "
          + "which the program started, and was not sampled",
        "Sample them as well: perfkit record --follow")
    }
    return warn.all
  }

  private func time(_ nanoseconds: UInt64) -> String {
    NumberFormat.human(Double(nanoseconds), .time)
  }
}

/// CPU time that was spent, and that of the threads which were sampled, in nanoseconds.
private struct SampledShare {
  var spent: UInt64 = 0
  var sampled: UInt64 = 0
  private var launches = 0

  mutating func add(spent: UInt64, sampled: UInt64) {
    self.spent = self.spent.addingClamped(spent)
    self.sampled = self.sampled.addingClamped(sampled)
    launches += 1
  }

  /// Whether more is missing than what a program takes before its threads are known.
  func isBelow(_ share: Double) -> Bool {
    spent > sampled && spent - sampled > SamplerBounds.unsampled * UInt64(launches)
      && Double(sampled) < share * Double(spent)
  }
}

extension AuditTally {
  /// Says what the sampler took more of than it should.
  private func costs(_ audit: ProfileAudit) -> [RunWarning] {
    var warn = SamplerWarnings()
    let late = Double(audit.ticksLate) / Double(max(audit.ticks, 1))
    if audit.ticks >= SamplerBounds.enough, late > SamplerBounds.ticksLate {
      warn(
        "late", "\(percent(late)) of the ticks were late by more than half an interval",
        "Leave a CPU free for the sampler, or ask for a lower rate")
    }
    // Longer copies take longer.
    let factor = max(
      1, Double(stackBytes) / Double(CaptureConfiguration.defaultStackBytes))
    if plainHandlers.count >= SamplerBounds.enough,
      let (p50, p99) = Self.percentiles(plainHandlers),
      p50 > factor * SamplerBounds.handlerP50 || p99 > factor * SamplerBounds.handlerP99
    {
      warn(
        "handler_slow",
        "half of the handlers took \(NumberFormat.human(p50, .time)) or more, one in 100 "
          + "\(NumberFormat.human(p99, .time))",
        "Something else wants the CPU, or stacks are deep: copy less of them by --stack-size")
    }
    let ticker = audit.seconds > 0 ? Double(audit.tickerCPU) / 1e9 / audit.seconds : 0
    if audit.ticks >= SamplerBounds.enough,
      ticker > SamplerBounds.ticker(atRate: audit.rateAsked)
    {
      warn(
        "ticker", "the sampler's own thread took \(percent(ticker)) of a CPU",
        "Ask for a lower rate: what it does grows with the threads that are looked at")
    }
    if audit.samples >= SamplerBounds.enough, let overhead = audit.overhead,
      overhead > SamplerBounds.overhead(atRate: audit.rateAsked)
    {
      warn(
        "overhead", "sampling added about \(percent(overhead)) to the CPU time of the threads",
        "Ask for a lower rate, and compare such runs with such runs")
    }
    return warn.all
  }

  private func percent(_ share: Double) -> String { NumberFormat.human(share, .ratio) }
}

extension UInt64 {
  /// Returns the sum, at most the largest value.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

/// Warnings of the sampler, gathered one by one.
private struct SamplerWarnings {
  var all: [RunWarning] = []

  /// Adds a warning; its code is `sampler.` and what is given.
  mutating func callAsFunction(_ code: String, _ message: String, _ remedy: String) {
    all.append(RunWarning(code: "sampler.\(code)", message: message, remedy: remedy))
  }
}
