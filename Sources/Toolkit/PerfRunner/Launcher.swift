internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfProfile

/// Makes the launches of a run with one capture segment and one profile.
final class Launcher {
  /// The warnings of all launches, one per code.
  private(set) var warnings: [RunWarning] = []
  /// The exit statuses of the measured launches of a command.
  var exits: Set<Int32> = []
  /// The iterations of a suite's benchmark in the counted launches; nil before the first one.
  var countedIterations: Int?

  /// Called with the samples of each process before they become a profile.
  var inspect: ((Capture) -> Void)?

  let plan: MeasurementPlan
  let workload: WorkerDescription.Workload?
  private let setup: ScenarioRunner.SetupAnswer
  /// The number of the pair, which chooses the layout of the program.
  var pair = 0
  /// The side of the pairs for messages; nil without pairs.
  var side: String?
  let isCancelled: @Sendable () -> Bool
  let capture: (any LaunchSampler)?
  private let tasks: LaunchTasks?
  private let builder: ProfileBuilder?
  let counter: WorkCounter?
  /// Whether launches are counted; false for the plain launch that precedes them.
  private(set) var isCounting: Bool
  /// The failure of a program after a launch, which prevents further launches.
  private var failedCleanup: RunnerError?
  /// The most nanoseconds of a measured phase.
  private(set) var timeLimit: UInt64
  private var load = MachineLoad()
  let startsAtLaunch: Bool
  private let runBegan = SystemCalls.now()
  /// The time since the first session of the run began, in nanoseconds.
  private var offset: UInt64 { plan.sessionOffset + SystemCalls.now() - runBegan }
  /// Nil for an attended command, whose processes belong to its user.
  private let launchGuard: LaunchGuard?

  init(
    plan: MeasurementPlan, workload: WorkerDescription.Workload?, setup: ScenarioRunner.SetupAnswer,
    symbols: SymbolCache?, symbolication: Symbolication,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    self.plan = plan
    self.workload = workload
    self.setup = setup
    self.isCancelled = isCancelled
    startsAtLaunch = workload?.startsAtLaunch ?? true
    launchGuard = plan.isAttended ? nil : LaunchGuard()
    // An attended command may have many threads, and its start is not timed precisely.
    let isStart = startsAtLaunch && !plan.isAttended
    switch plan.engine {
    case .signal:
      capture = try plan.agent.map { try LaunchCapture(plan: plan, agent: $0, isStart: isStart) }
    case .perf:
      capture =
        plan.rate > 0 ? try LaunchEvents(plan: plan, startsAtLaunch: startsAtLaunch) : nil
    }
    tasks = plan.taskLibrary.map(LaunchTasks.init(library:))
    let isWhole = startsAtLaunch
    counter = try plan.callgrind.map { callgrind in
      try WorkCounter(callgrind, plan: plan, isWhole: isWhole) { original in
        WorkProfileBuilder(cache: symbols, symbolication: symbolication, original: original)
      }
    }
    isCounting = counter != nil
    let timeout = plan.scenario.timeout
    timeLimit = plan.callgrind?.timeLimit(plain: timeout) ?? timeout
    builder =
      capture != nil && plan.rate > 0
      ? ProfileBuilder(
        cache: symbols, symbolication: symbolication,
        signalCost: plan.engine == .perf
          ? nil : Result { () throws(SignalCost.Obstacle) in try SignalCost.measure() }) : nil
    if let obstacle = plan.engineObstacle {
      warn([
        RunWarning(
          code: "sampler.engine",
          message:
            "a signal sampled the program: its long reads and writes may end early, and waits may "
            + "end with EINTR",
          remedy: "Let the kernel sample: \(obstacle)")
      ])
    }
  }

  /// Makes one launch.
  ///
  /// Failures during the measured phase are the launch's status.
  ///
  /// - Throws: `RunnerError` if the worker cannot be started or breaks the protocol before the
  ///   measured phase; `RevisionError.notWritable` if the scratch folder cannot be created.
  func launch(index: Int, isWarmup: Bool) throws -> Launch {
    if let failedCleanup { throw failedCleanup }
    guard try runHook("prepare", plan.surroundings.prepare, launch: index) else {
      return Launch(
        index: index, isWarmup: isWarmup, status: .interrupted, offset: offset, metrics: [:])
    }
    var launch = ScenarioRunner.launch(plan)
    launchGuard?.mark(&launch)
    if !plan.layouts.isEmpty { launch.path = plan.layouts[pair % plan.layouts.count] }
    if plan.coldPageCache { warn(PageCache.evict(setup.files + [launch.path])) }
    let scratch = "\(plan.scratchDirectory)/launch-\(index)"
    try ScratchFolder.make(scratch)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    launch.isAttended = plan.isAttended
    if !plan.hasWorkload { surround(&launch) }
    try capture?.prepare(&launch, index: index)
    try tasks?.prepare(&launch)
    if isCounting { counter?.prepare(&launch, in: scratch) }
    var record = LaunchRecord(index: index, isWarmup: isWarmup, offset: offset)
    if let attachment = plan.attachment {
      measure(attachment, &record)
    } else if plan.hasWorkload {
      try measureWorkload(launch, scratch: scratch, &record)
    } else {
      try measureCommand(launch, &record)
    }
    if record.status == .timedOut, !isCounting { warn([timeWarning]) }
    let made: Launch
    if isCounting, let counter {
      made = counted(record, by: counter, in: scratch)
    } else {
      made = try finish(record)
    }
    do {
      _ = try runHook("cleanup", plan.surroundings.cleanup, launch: index)
    } catch {
      // The launch was measured before. No further one would be like it.
      failedCleanup = error
      warn([RunWarning(code: "command.cleanup", message: error.description)])
    }
    return made
  }

  private var timeWarning: RunWarning {
    RunWarning(
      code: RunWarning.timedOutCode,
      message: "a launch was killed at its time limit of "
        + NumberFormat.human(Double(timeLimit), .time),
      remedy: "Set a longer `timeout` in the scenario's file, or pass --timeout for a command.")
  }

  /// Makes a launch without callgrind, whose time limits the counted launches.
  ///
  /// - Returns: The launch if it did not complete; otherwise nil.
  /// - Throws: The errors of `launch`.
  func launchBeforeCounting() throws -> Launch? {
    (isCounting, timeLimit) = (false, plan.scenario.timeout)
    defer { isCounting = counter != nil }
    let began = SystemCalls.now()
    let launch = try launch(index: 0, isWarmup: false)
    guard let callgrind = plan.callgrind, launch.status == .completed else { return launch }
    timeLimit = callgrind.timeLimit(plain: SystemCalls.now() - began)
    return nil
  }

  /// Symbolicates all samples, and returns the result of the launches.
  ///
  /// The user can stop while samples are symbolicated, so `wasInterrupted` is evaluated afterwards.
  func outcome(_ launches: [Launch], wasInterrupted: @autoclosure () -> Bool) -> RunOutcome {
    let work = counter?.profile()
    warn(counter?.warnings ?? [])
    warn([launchGuard?.endAll(), MissingMetrics.warning(of: launches)].compactMap(\.self))
    return RunOutcome(
      launches: launches,
      profile: builder?.finish(cpusBusy: load.cpusBusy, engineReason: plan.engineReason),
      work: work,
      warnings: setup.warnings + warnings + [exitWarning].compactMap(\.self),
      notes: setup.notes, wasInterrupted: wasInterrupted())
  }

  func readPace(_ record: inout LaunchRecord) {
    if plan.readsPace { record.pace = Pace.measure() }
  }

  func startSampling() {
    load.begin()
    capture?.start()
    tasks?.start()
  }

  func stopSampling() {
    capture?.stop()
    tasks?.stop()
    load.end()
  }

  // MARK: - The end of a launch

  /// Returns a counted launch, which has no metrics but those of its work.
  private func counted(
    _ record: LaunchRecord, by counter: WorkCounter, in folder: String
  ) -> Launch {
    var record = record
    let metrics = counter.finish(&record, in: folder)
    return Launch(
      index: record.index, isWarmup: record.isWarmup, status: record.status,
      offset: record.offset, metrics: metrics)
  }

  private func finish(_ record: LaunchRecord) throws -> Launch {
    var marks = capture?.finish()
    var (followed, warnings) = capture?.finishFollowed() ?? ([], [])
    warnings += tasks?.finish(&marks, &followed) ?? []
    warn(warnings)
    let ownSampler = record.samplerCPUOfPhase ?? Double(marks?.tickerCPU ?? 0)
    let samplerCPU = followed.reduce(ownSampler) { $0 + Double($1.capture.tickerCPU) }
    let frames = FrameAnalysis(marks?.intervals ?? [])
    var metrics: [String: Double] = [:]
    if record.status == .completed {
      metrics =
        MetricAssembler(
          record: record, marks: marks, frames: frames, samplerCPU: samplerCPU,
          segmentBytes: capture?.bytes ?? 0,
          declared: Set((workload?.counters ?? []).map(\.name))
        ).metrics.merging(record.reported) { own, _ in own }
      capture?.adapt(to: metrics)
    }
    let measured = record.measured
    let spans = record.isWarmup ? nil : marks.map { LaunchSpans($0, measured: measured) }
    warn(spans?.warnings ?? [])
    // A launch that the user stopped before the agent began says nothing about the sampler.
    let isStopped = record.status == .interrupted && marks?.agentVersion == 0
    if let builder, let marks, !record.isWarmup, !isStopped {
      inspect?(marks)
      let missed = Set(frames.frames.filter { $0.overrun > 0 }.map(\.index))
      let children = record.after?.childrenCPU ?? 0
      try builder.add(
        marks, launch: record.index, measured: measured,
        allocatedBytes: metrics[MetricName.allocBytes],
        spent: metrics[MetricName.cpuTotal].map { UInt64(max(0, $0 - Double(children))) },
        frameClass: { missed.contains($0) ? .missed : .onTime })
      if case .crashed(let signal) = record.status {
        builder.addCrash(
          of: signal, launch: record.index, engine: marks.engine,
          after: measured.upperBound - measured.lowerBound)
      }
      builder.addChildren(spent: children, areFollowed: plan.followsChildren)
      try add(followed, to: builder, launch: record.index, measured: measured)
    }
    warn(marks?.warnings ?? [])
    let counters = LaunchSeries(
      (marks?.counters ?? []).filter { $0.time >= measured.lowerBound }, from: measured.lowerBound,
      declared: workload?.counters ?? [])
    warn(counters.warnings)
    return Launch(
      index: record.index, isWarmup: record.isWarmup, status: record.status,
      offset: record.offset, metrics: metrics, series: record.series + counters.series,
      frames: frames.frames,
      began: record.began > 0 ? measured.lowerBound : nil, spans: spans?.spans ?? [])
  }

  private func add(
    _ remains: [FollowedProcesses.Remains], to builder: ProfileBuilder, launch: Int,
    measured: ClosedRange<UInt64>
  ) throws {
    for process in remains {
      inspect?(process.capture)
      let end = min(max(process.ended, measured.lowerBound), measured.upperBound)
      try builder.add(
        process.capture, isChild: true, launch: launch, measured: measured.lowerBound...end)
      warn(process.capture.warnings)
    }
  }

  func warn(_ new: [RunWarning]) {
    for warning in new where !warnings.contains(where: { $0.code == warning.code }) {
      warnings.append(warning)
    }
  }
}
