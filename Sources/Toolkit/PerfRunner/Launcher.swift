internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfProfile

/// Makes one launch after another with one capture segment and one profile.
final class Launcher {
  /// Warnings of all launches, each code once.
  private(set) var warnings: [RunWarning] = []

  /// Called with what each measured launch left behind.
  var inspect: ((Capture) -> Void)?

  private let plan: MeasurementPlan
  private let workload: WorkerDescription.Workload?
  private let coldFiles: [String]
  private let isCancelled: @Sendable () -> Bool
  private let capture: LaunchCapture?
  private let builder: ProfileBuilder?
  private var load = MachineLoad()
  private let startsAtLaunch: Bool
  private let runBegan = SystemCalls.now()

  /// Creates a launcher.
  init(
    plan: MeasurementPlan, workload: WorkerDescription.Workload?, coldFiles: [String],
    symbols: any SymbolCache, symbolication: Symbolication,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    self.plan = plan
    self.workload = workload
    self.coldFiles = plan.conditions.coldPageCache ? coldFiles + [plan.program[0]] : []
    self.isCancelled = isCancelled
    startsAtLaunch = workload?.startsAtLaunch ?? true
    // An attended command may have any number of threads, and is not timed to the millisecond.
    let isStart = startsAtLaunch && !plan.isAttended
    capture = try plan.agent.map { try LaunchCapture(plan: plan, agent: $0, isStart: isStart) }
    builder =
      capture != nil && plan.rate > 0
      ? ProfileBuilder(
        cache: symbols, symbolication: symbolication,
        signalCost: Result { () throws(SignalCost.Obstacle) in try SignalCost.measure() }) : nil
  }

  /// Makes one launch.
  ///
  /// - Throws: `RunnerError` when the worker cannot be started or breaks the protocol before it is
  ///   measured, `RevisionError.notWritable` when there is no room for it; what happens to it later is the
  ///   launch's status.
  func launch(index: Int, isWarmup: Bool) throws -> Launch {
    warn(PageCache.evict(coldFiles))
    let scratch = "\(plan.scratchDirectory)/launch-\(index)"
    try ScratchFolder.make(scratch)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    var launch = ScenarioRunner.launch(plan.program)
    launch.isAttended = plan.isAttended
    capture?.prepare(&launch, index: index)
    var record = LaunchRecord(
      index: index, isWarmup: isWarmup, offset: SystemCalls.now() - runBegan)
    if plan.hasWorkload {
      try measureWorkload(launch, scratch: scratch, &record)
    } else {
      try measureCommand(launch, &record)
    }
    return try finish(record)
  }

  /// Gives names to all that was sampled and returns the profile; nil when nothing was sampled.
  func finishProfile() -> Profile? {
    builder?.finish(cpusBusy: load.cpusBusy)
  }

  private func readPace(_ record: inout LaunchRecord) {
    if plan.readsPace { record.pace = Pace.measure() }
  }

  private func startSampling() {
    load.begin()
    capture?.start()
  }

  private func stopSampling() {
    capture?.stop()
    load.end()
  }

  // MARK: - A worker

  private func measureWorkload(
    _ launch: WorkerProcess.Configuration, scratch: String, _ record: inout LaunchRecord
  ) throws {
    let prepare = HarnessMessage.prepare(plan.order, launch: record.index, scratch: scratch)
    if startsAtLaunch { readPace(&record) }
    record.machine.before = .now()
    if startsAtLaunch { startSampling() }
    let session = try WorkerSession(
      launch, opening: startsAtLaunch ? [prepare, .measure] : [prepare], isCancelled: isCancelled)
    let process = session.process
    record.launched = process.started
    record.began = process.started
    let watch = LaunchWatch(
      process: process, segmentBytes: capture?.bytes ?? 0, limit: plan.conditions.jetsamLimit)
    let observers = observe(session, watch)
    defer {
      observers.forEach { $0.stop() }
      stopSampling()
      warn(session.warnings)
      session.close()
    }
    guard awaitHello(session, watch, &record), try awaitPrepared(session, watch, &record) else {
      return
    }
    if !startsAtLaunch {
      readPace(&record)
      record.peakIsOfPhase = ProcessReadings.resetPeak(of: process.id)
      record.read.before = SystemCalls.now()
      record.before = ProcessReadings(of: process.id)
      record.mainDelay.before = ProcessReadings.runDelay(ofTask: process.mainTask)
      record.machine.before = .now()
      startSampling()
      record.began = SystemCalls.now()
      try session.send(.measure)
    }
    watch.beginPhase()
    awaitDone(session, watch, &record)
    record.ended = SystemCalls.now()
    record.machine.after = .now()
    stopSampling()
    if record.status == .completed {
      record.after = ProcessReadings(of: process.id)
      record.mainDelay.after = ProcessReadings.runDelay(ofTask: process.mainTask)
      record.read.after = SystemCalls.now()
      record.proportional = ProcessReadings.proportionalMemory(of: process.id)
    }
    record.resident = watch.residentSeries(from: record.began)
    record.series = [record.resident, watch.cpuSeries(from: record.began)] + watch.extraSeries()
  }

  /// Starts what watches, drains and presses.
  private func observe(_ session: WorkerSession, _ watch: LaunchWatch) -> [PeriodicThread] {
    var threads = watchers(of: session.process, watch, interval: 5_000_000)
    if let budget = plan.conditions.deviceBudget {
      watch.press(
        PressureInjector(
          steps: plan.scenario.pressure, budget: budget, footprint: { watch.footprint() },
          tell: session.pressureSender()))
      threads.append(
        PeriodicThread(
          name: "perfkit-press", interval: 20_000_000, measured: session.process.id
        ) { watch.tickPressure() })
    }
    return threads
  }

  /// Starts what reads a process's memory and takes its samples over.
  private func watchers(
    of process: WorkerProcess, _ watch: LaunchWatch, interval: UInt64
  ) -> [PeriodicThread] {
    let probe = PeriodicThread(name: "perfkit-probe", interval: interval, measured: process.id) {
      watch.tick()
    }
    guard let capture else { return [probe] }
    let drain = PeriodicThread(
      name: "perfkit-drain", interval: 5_000_000, measured: process.id
    ) { capture.takeOver() }
    return [probe, drain]
  }

  /// Returns false when the launch is over: it died first, or the user stopped it.
  ///
  /// The worker has said hello once before anything was measured, so this is the launch's own fate.
  private func awaitHello(
    _ session: WorkerSession, _ watch: LaunchWatch, _ record: inout LaunchRecord
  ) -> Bool {
    do {
      guard try session.hello() == nil else { return true }
      record.status = .interrupted
    } catch {
      if case .signalled(let signal) = session.process.endingIfOver() {
        record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
      } else {
        record.status = .failed("\(error)")
      }
    }
    session.process.kill()
    return false
  }

  /// Returns false when the launch is over: it failed to prepare, or the user stopped it.
  private func awaitPrepared(
    _ session: WorkerSession, _ watch: LaunchWatch, _ record: inout LaunchRecord
  ) throws -> Bool {
    let deadline = SystemCalls.now() + plan.scenario.timeout
    switch try session.answer(stage: "prepare", deadline: deadline) {
    case .message(.prepared): return true
    case .message(.failed(_, let message)): record.status = .failed("prepare: \(message)")
    case .message: throw session.unexpected("prepare")
    case .ended(.exited(let code)):
      record.status = .failed(session.silence("prepare", .exited(code)).description)
    case .ended(.signalled(let signal)):
      record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
    case .deadline: record.status = .timedOut
    case .cancelled: record.status = .interrupted
    }
    session.process.kill()
    return false
  }

  /// Waits for the end of the measured phase; a broken worker is this launch's fate, not the run's.
  private func awaitDone(
    _ session: WorkerSession, _ watch: LaunchWatch, _ record: inout LaunchRecord
  ) {
    let deadline = record.began + plan.scenario.timeout
    do {
      switch try session.answer(stage: "measure", deadline: deadline) {
      case .message(.done(let completion)): record.completion = completion
      case .message(.failed(_, let message)): record.status = .failed(message)
      case .message: record.status = .failed(session.unexpected("measure").description)
      case .ended(.exited(let code)):
        record.status = .failed(session.silence("measure", .exited(code)).description)
      case .ended(.signalled(let signal)):
        record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
      case .deadline: record.status = .timedOut
      case .cancelled: record.status = .interrupted
      }
    } catch {
      record.status = .failed("\(error)")
    }
    if record.status != .completed { session.process.kill() }
  }

  // MARK: - A command

  /// Measures any program from its start to its end.
  private func measureCommand(
    _ launch: WorkerProcess.Configuration, _ record: inout LaunchRecord
  ) throws {
    readPace(&record)
    record.machine.before = .now()
    startSampling()
    let process = try WorkerProcess(launch)
    record.launched = process.started
    record.began = process.started
    let watch = LaunchWatch(
      process: process, segmentBytes: capture?.bytes ?? 0, limit: plan.conditions.jetsamLimit,
      readsPeak: true)
    let threads = watchers(of: process, watch, interval: 2_000_000)
    defer { threads.forEach { $0.stop() } }
    let deadline = record.began + plan.scenario.timeout
    var ending: WorkerProcess.Ending?
    while ending == nil, SystemCalls.now() < deadline, !isCancelled() {
      ending = process.waitForEnd(deadline: min(deadline, SystemCalls.now() + 100_000_000))
    }
    record.ended = SystemCalls.now()
    record.machine.after = .now()
    switch ending {
    case .exited(0): break
    case .exited(let code) where plan.isAttended:
      warn([
        RunWarning(code: "command.exit", message: "the command exited with \(code)")
      ])
    case .exited(let code):
      let output = process.lastOutput()
      record.status = .failed(
        "it exited with \(code)" + (output.isEmpty ? "" : "; its last output: \(output)"))
    case .signalled(let signal):
      record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
    case nil:
      record.status = isCancelled() ? .interrupted : .timedOut
      end(process)
    }
    stopSampling()
    record.after = ProcessReadings(ofEnded: process, peakResident: watch.lastPeak)
    record.resident = watch.residentSeries(from: record.began)
    record.series = [record.resident, watch.cpuSeries(from: record.began)]
  }

  /// Ends a command that has not ended by itself.
  private func end(_ process: WorkerProcess) {
    if plan.isAttended {
      // Ctrl-C has reached it too; it may want to write what it has.
      if process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000) != nil { return }
      process.send(SIGTERM)
      if process.waitForEnd(deadline: SystemCalls.now() + 3_000_000_000) != nil { return }
    }
    process.kill()
    _ = process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
  }

  // MARK: - The end of a launch

  private func finish(_ record: LaunchRecord) throws -> Launch {
    let marks = capture?.finish()
    let (followed, warnings) = capture?.finishFollowed() ?? ([], [])
    warn(warnings)
    let samplerCPU = followed.reduce(marks?.audit.tickerCPU ?? 0) {
      $0.addingReportingOverflow($1.capture.audit.tickerCPU).partialValue
    }
    let frames = FrameAnalysis(marks?.intervals ?? [])
    var metrics: [String: Double] = [:]
    if record.status == .completed {
      metrics = MetricAssembler.metrics(
        MetricAssembler.Input(
          record: record, marks: marks, frames: frames, samplerCPU: samplerCPU,
          segmentBytes: capture?.bytes ?? 0,
          declared: Set((workload?.counters ?? []).map(\.name))))
    }
    let measured = record.began...max(record.began, record.ended)
    let spans = record.isWarmup ? nil : marks.map { LaunchSpans($0, measured: measured) }
    warn(spans?.warnings ?? [])
    if let builder, let marks, !record.isWarmup {
      inspect?(marks)
      let classes = FrameClasses(frames.frames)
      let children = record.after?.childrenCPU ?? 0
      try builder.add(
        marks, launch: record.index, measured: measured,
        allocatedBytes: metrics["alloc.bytes"],
        spent: metrics["cpu.total"].map { UInt64(max(0, $0 - Double(children))) },
        frameClass: { classes[$0] })
      builder.addChildren(spent: children, areFollowed: plan.followsChildren)
      try add(followed, to: builder, launch: record.index, measured: measured)
    }
    warn(marks?.warnings ?? [])
    let counters = marks.map { CounterSeries.make($0.counters, workload, from: record.began) } ?? []
    return Launch(
      index: record.index, isWarmup: record.isWarmup, status: record.status,
      offset: record.offset, metrics: metrics, series: record.series + counters,
      frames: frames.frames,
      began: record.began > 0 ? record.began : nil, spans: spans?.spans ?? [])
  }

  /// Adds what the processes left that the program had started.
  private func add(
    _ remains: [FollowedProcesses.Remains], to builder: ProfileBuilder, launch: Int,
    measured: ClosedRange<UInt64>
  ) throws {
    for process in remains {
      let end = min(max(process.ended, measured.lowerBound), measured.upperBound)
      try builder.add(
        process.capture, isChild: true, launch: launch, measured: measured.lowerBound...end)
      warn(process.capture.warnings)
    }
  }

  /// The classes of frames by their number in the process.
  private struct FrameClasses {
    private var missed: Set<Int>

    init(_ frames: [FrameRecord]) {
      missed = Set(frames.filter { $0.overrun > 0 }.map(\.index))
    }

    subscript(_ index: Int) -> Profile.FrameClass { missed.contains(index) ? .missed : .onTime }
  }

  private func warn(_ new: [RunWarning]) {
    for warning in new where !warnings.contains(where: { $0.code == warning.code }) {
      warnings.append(warning)
    }
  }
}
