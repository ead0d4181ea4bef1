internal import CPerfFormat
internal import PerfModel

/// The sum of the sampler's counters over all launches of a run.
struct AuditTally {
  private(set) var audit = ProfileAudit()
  let signalCost: Result<SignalCost, SignalCost.Obstacle>?
  private(set) var stackBytes = 0
  /// Handler times in nanoseconds.
  private(set) var handlers: [UInt32] = []
  /// Times of the handlers that read no async callers, which take 1 us each.
  private(set) var plainHandlers: [UInt32] = []
  private(set) var sampledCPU: UInt64 = 0
  private(set) var interval: UInt64 = 0
  private(set) var engine = SamplingEngine.signal
  private(set) var signal = CaptureConfiguration.defaultSignal
  private var samplingTime: UInt64 = 0
  private(set) var threadsWithoutRing = 0
  private(set) var mostThreads = 0
  private(set) var hasForeignHandler = false
  private(set) var stops: Set<SamplingStop> = []
  private(set) var isAbsent = false
  private(set) var hasLeft = false
  private(set) var tickerFailure: Int32 = 0
  private(set) var statesUnread: UInt64 = 0
  /// Records of sampled allocations, and of their ends, that the agent could not write.
  private(set) var allocationsDropped = 0
  /// Sampled allocations whose end cannot be known.
  private(set) var allocationsUntracked = 0
  private(set) var seesNoAllocation = false
  private var captureWarnings: [RunWarning] = []
  private(set) var isOverwritten = false
  /// CPU time of the launched programs, where it is known.
  private(set) var coverage = SampledShare()
  /// CPU time of the processes that the launched programs started.
  private(set) var childrenCoverage = SampledShare()
  private(set) var followsChildren = false
  /// Whether all captures sampled time in the kernel.
  private(set) var samplesKernel = true
  /// The thread with the largest share of ticks at which it had not taken its signal yet.
  private(set) var mostMerged = (thread: "", share: 0.0)

  /// Threads of io_uring, which run in the kernel and take no signals.
  private(set) var ioWorkers = 0

  /// Samples of running threads in code that belongs to no file and has no name.
  private(set) var unnamed: UInt64 = 0

  init(signalCost: Result<SignalCost, SignalCost.Obstacle>?) {
    self.signalCost = signalCost
  }

  /// Adds a process: a launched program or a child of it.
  ///
  /// - Parameters:
  ///   - capture: The process's capture.
  ///   - samples: The samples that count.
  ///   - isChild: Whether the process is a child of a launched program.
  ///   - end: The end of the process or of the measured phase, in CLOCK_MONOTONIC nanoseconds.
  ///   - cpu: CPU time of the sampled threads, in nanoseconds.
  ///   - spent: CPU time of the whole process, in nanoseconds; nil if unknown.
  mutating func add(
    _ capture: Capture, _ samples: [WalkedSample], isChild: Bool, until end: UInt64 = .max,
    cpu: UInt64, spent: UInt64? = nil
  ) {
    let agent = capture.audit
    engine = capture.engine
    samplesKernel = samplesKernel && capture.samplesKernel
    isOverwritten = isOverwritten || capture.isOverwritten
    interval = capture.interval
    signal = capture.signal
    stackBytes = max(stackBytes, capture.stackBytes)
    mostThreads = max(mostThreads, capture.ringCount - 1)
    samplingTime = samplingTime.addingClamped(
      Self.samplingTime(agent, interval: capture.interval, until: end))
    sampledCPU = sampledCPU.addingClamped(cpu)
    if isChild { childrenCoverage.sampled = childrenCoverage.sampled.addingClamped(cpu) }
    if let spent { coverage.add(spent: spent, sampled: cpu) }
    audit.ticks = audit.ticks.addingClamped(agent.ticks)
    audit.ticksMissed = audit.ticksMissed.addingClamped(agent.ticks_missed)
    audit.ticksLate = audit.ticksLate.addingClamped(agent.ticks_late)
    audit.signals = audit.signals.addingClamped(agent.signals_sent)
    audit.signalsBlocked = audit.signalsBlocked.addingClamped(agent.signals_blocked)
    audit.dropped = audit.dropped.addingClamped(UInt64(capture.samplesDropped))
    audit.tickerCPU = audit.tickerCPU.addingClamped(agent.ticker_cpu_ns)
    // Launches run the same threads, so take their maximum; add the processes of one launch.
    let blockingBefore = isChild ? audit.threadsBlocking : 0
    let kernels = min(agent.threads_blocking, UInt64(capture.threads.count(where: Self.isOfKernel)))
    audit.threadsBlocking = max(
      audit.threadsBlocking, blockingBefore.addingClamped(agent.threads_blocking - kernels))
    ioWorkers = max(ioWorkers, (isChild ? ioWorkers : 0).addingClamped(kernels))
    audit.ringHighWater = max(audit.ringHighWater, capture.ringHighWater)
    audit.garbage += capture.garbage
    threadsWithoutRing = max(
      threadsWithoutRing,
      (isChild ? threadsWithoutRing : 0).addingClamped(agent.thread_slots_full))
    hasForeignHandler = hasForeignHandler || agent.foreign_handler != 0
    if let stop = SamplingStop(rawValue: agent.stopped) { stops.insert(stop) }
    isAbsent = isAbsent || capture.agentVersion == 0
    hasLeft = hasLeft || agent.left != 0
    tickerFailure = max(tickerFailure, Int32(clamping: agent.ticker_failed))
    statesUnread = statesUnread.addingClamped(agent.states_unread)
    addAllocations(capture)
    seesNoAllocation = seesNoAllocation || capture.allocations?.count == 0
    captureWarnings += capture.warnings
    audit.signalsFailed = audit.signalsFailed.addingClamped(agent.signals_failed)
    addMerged(capture, samples)
    for sample in samples where sample.isWaiting {
      audit.waits += 1
      if sample.end == .complete { audit.waitsComplete += 1 }
      if sample.end == .partial { audit.partial += 1 }
    }
    for sample in samples where !sample.isWaiting {
      audit.samples += 1
      if sample.isUnnamed { unnamed += 1 }
      // The kernel does not tell how long a sample took.
      if engine == .signal { handlers.append(sample.handler) }
      if engine == .signal, sample.awaiting == 0 { plainHandlers.append(sample.handler) }
      switch sample.end {
      case .complete: audit.complete += 1
      case .truncated: audit.truncated += 1
      default:
        audit.failed += 1
        audit.failures[sample.end.rawValue, default: 0] += 1
      }
    }
  }

  private mutating func addAllocations(_ capture: Capture) {
    let agent = capture.audit
    allocationsDropped = allocationsDropped.addingClamped(agent.allocations_dropped)
    allocationsUntracked = allocationsUntracked.addingClamped(agent.allocations_untracked)
    guard capture.allocationInterval > 0 else { return }
    let (kept, lost) = capture.allocationRecords
    audit.allocationsKept = (audit.allocationsKept ?? 0).addingClamped(UInt64(kept))
    audit.allocationsLost = (audit.allocationsLost ?? 0).addingClamped(UInt64(lost))
      .addingClamped(agent.allocations_dropped)
  }

  /// Returns whether a thread is one that the kernel adds to a process: `iou-wrk-PID` or `iou-sqp-PID`
  /// (io_uring/io-wq.c and io_uring/sqpoll.c of Linux).
  private static func isOfKernel(_ thread: Capture.Thread) -> Bool {
    thread.name.hasPrefix("iou-wrk-") || thread.name.hasPrefix("iou-sqp-")
  }

  /// Adds invalid records that were found after the capture was complete.
  mutating func addGarbage(_ count: Int) { audit.garbage += count }

  private mutating func addMerged(_ capture: Capture, _ samples: [WalkedSample]) {
    var ticks: [UInt32: (all: Int, merged: Int)] = [:]
    for sample in samples where !sample.isWaiting {
      ticks[sample.serial, default: (0, 0)].all += sample.ticks
      ticks[sample.serial, default: (0, 0)].merged += Int(sample.merged)
    }
    for (serial, count) in ticks.sorted(by: { $0.key < $1.key })
    where count.all >= SamplerBounds.enough {
      let share = Double(count.merged) / Double(count.all)
      guard share > mostMerged.share else { continue }
      mostMerged = (capture.threads.last { $0.serial == Int(serial) }?.name ?? "", share)
    }
  }

  /// Adds the CPU time of the children that a launched program has waited for, in nanoseconds.
  mutating func addChildren(spent: UInt64, areFollowed: Bool) {
    childrenCoverage.add(spent: spent, sampled: 0)
    followsChildren = areFollowed
  }

  /// Returns how long a process was sampled, in nanoseconds.
  ///
  /// The agent records no end of sampling if the process was killed or the ticker had no CPU. Sampling
  /// then lasted until the process ended or, if it executed another program, for the ticks of the grid.
  private static func samplingTime(
    _ agent: AgentAudit, interval: UInt64, until end: UInt64
  ) -> UInt64 {
    guard agent.samplingTime == 0 else { return agent.samplingTime }
    let began = agent.sampling_began_ns
    if agent.left == 0, began > 0, end > began, end < .max { return end - began }
    return agent.ticks.addingClamped(agent.ticks_missed)
      .multipliedClamped(by: interval)
  }

  /// Returns the audit of all launches.
  ///
  /// - Parameters:
  ///   - cpusBusy: CPUs that were busy on average while sampling; nil if unknown.
  ///   - more: Warnings from symbolication.
  /// - Returns: The audit with all warnings, each once.
  func audit(cpusBusy: Double?, warnings more: [RunWarning]) -> ProfileAudit {
    var audit = audit
    audit.cpusBusy = cpusBusy
    audit.seconds = Double(samplingTime) / 1e9
    audit.rateAsked = interval > 0 ? 1e9 / Double(interval) : 0
    audit.engine = engine == .signal ? nil : engine
    // A thread has a tick of the kernel after each interval of its own CPU time.
    audit.rateReached =
      engine == .perf
      ? audit.rateAsked : samplingTime > 0 ? Double(audit.ticks) / audit.seconds : 0
    if let (p50, p99) = Self.percentiles(handlers) {
      audit.handlerP50 = p50
      audit.handlerP99 = p99
    }
    if sampledCPU > 0, engine == .signal { estimateOverhead(&audit) }
    // Several launches may give the same warning.
    let all = captureWarnings + more + completenessWarnings(audit) + costWarnings(audit)
    audit.warnings = all.uniqued()
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

  /// Returns the median and the 99th percentile by nearest rank, so both are times of real handlers.
  static func percentiles(_ times: [UInt32]) -> (p50: Double, p99: Double)? {
    let sorted = times.sorted()
    guard let last = sorted.last else { return nil }
    return (
      Double(sorted[(sorted.count - 1) / 2]),
      Double(sorted.count >= 100 ? sorted[(sorted.count * 99 - 1) / 100] : last)
    )
  }
}
