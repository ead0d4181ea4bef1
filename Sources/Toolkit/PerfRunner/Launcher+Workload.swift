internal import PerfModel
internal import PerfProtocol

extension Launcher {
  func measureWorkload(
    _ launch: WorkerProcess.Configuration, scratch: String, _ record: inout LaunchRecord
  ) throws {
    let prepare = HarnessMessage.prepare(plan.order, launch: record.index, scratch: scratch)
    if startsAtLaunch { readPace(&record) }
    record.machine.before = .now()
    if startsAtLaunch {
      startSampling()
      record.samplerCPU = (0, 0)
    }
    let session = try WorkerSession(
      launch, opening: startsAtLaunch ? [prepare, .measure] : [prepare], isCancelled: isCancelled)
    let process = session.process
    record.process = process.id
    record.launched = process.started
    record.began = process.started
    let watch = LaunchWatch(
      process: process, segmentBytes: capture?.bytes ?? 0, limit: plan.jetsamLimit)
    var observers = watchers(of: process, watch, interval: 5_000_000)
    defer {
      observers.forEach { $0.stop() }
      stopSampling()
      // Valgrind writes its counts when the worker ends.
      let end = session.close(patience: isCounting ? 60_000_000_000 : 2_000_000_000)
      warn(session.warnings)
      if let end, record.status == .completed {
        warn([WorkerSession.warning(ofEnd: end, after: "measured phase")])
      }
    }
    let injector = plan.deviceBudget.map { budget in
      PressureInjector(
        steps: plan.scenario.pressure, budget: budget, footprint: { watch.footprint() },
        tell: session.pressureSender())
    }
    guard awaitHello(session, watch, &record) else { return }
    let patience = SystemCalls.now() + timeLimit
    switch try answer("prepare", deadline: patience, session, watch, &record) {
    case .prepared: break
    case nil: return session.process.kill()
    default: throw session.unexpected("prepare")
    }
    if !startsAtLaunch {
      readPace(&record)
      record.peakIsOfPhase = ProcessReadings.resetPeak(of: process.id)
      record.read.before = SystemCalls.now()
      record.before = ProcessReadings(of: process.id)
      record.mainDelay.before = ProcessReadings.scheduling(ofTask: process.mainTask)?.waited
      record.machine.before = .now()
      startSampling()
      capture?.awaitBegin()
      record.samplerCPU = capture.map { ($0.cpu, 0) }
      record.began = SystemCalls.now()
      try session.send(.measure)
    }
    if let injector {
      observers.append(
        PeriodicThread(name: "perfkit-press", interval: 20_000_000, measured: process.id) {
          injector.tick()
        })
    }
    awaitDone(session, watch, &record)
    record.ended = SystemCalls.now()
    record.samplerCPU?.after = capture?.cpu ?? 0
    record.machine.after = .now()
    stopSampling()
    if record.status == .completed {
      record.after = ProcessReadings(of: process.id)
      record.mainDelay.after = ProcessReadings.scheduling(ofTask: process.mainTask)?.waited
      record.read.after = SystemCalls.now()
      record.proportional = ProcessReadings.proportionalMemory(of: process.id)
    }
    record.resident = watch.residentSeries(from: record.began)
    record.series = [record.resident, watch.cpuSeries(from: record.began)]
    if let injector { record.series.append(injector.series()) }
  }

  /// Starts a thread that reads the memory of a process and, if it is sampled, one that drains its samples.
  func watchers(
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

  /// Waits for the hello message; returns false if the launch is over.
  ///
  /// The worker has answered once before the first launch, so a failure is the launch's status.
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

  /// Waits for the answer of a stage; without one, sets the launch's status and returns nil.
  private func answer(
    _ stage: String, deadline: UInt64, _ session: WorkerSession, _ watch: LaunchWatch,
    _ record: inout LaunchRecord
  ) throws -> WorkerMessage? {
    switch try session.answer(stage: stage, deadline: deadline) {
    case .message(.failed(_, let message)):
      record.status = .failed(stage == "prepare" ? "prepare: \(message)" : message)
    case .message(let message): return message
    case .ended(.exited(let code)):
      record.status = .failed(session.silence(stage, .exited(code)).description)
    case .ended(.signalled(let signal)):
      record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
    case .deadline: record.status = .timedOut
    case .cancelled: record.status = .interrupted
    }
    return nil
  }

  /// Waits for the end of the measured phase; a failure of the worker is the launch's status.
  private func awaitDone(
    _ session: WorkerSession, _ watch: LaunchWatch, _ record: inout LaunchRecord
  ) {
    let deadline = record.began + timeLimit
    do {
      switch try answer("measure", deadline: deadline, session, watch, &record) {
      case .done(let completion):
        try check(completion, record)
        record.completion = completion
      case nil: break
      default: throw session.unexpected("measure")
      }
    } catch {
      record.status = .failed("\(error)")
    }
    if record.status != .completed { session.process.kill() }
  }

  /// Checks the worker's readings against the harness's clock: both are CLOCK_MONOTONIC.
  ///
  /// - Throws: `RunnerError.stageFailed` for a phase that was not within the time since the harness asked for
  ///   it, and for more CPU time or allocations than are possible.
  private func check(
    _ completion: WorkerMessage.Completion, _ record: LaunchRecord
  ) throws(RunnerError) {
    guard let (began, ended) = completion.usage else { return }
    func fail(_ message: String) throws(RunnerError) -> Never {
      throw .stageFailed(
        worker: plan.program[0], stage: "measure",
        message: "it reported \(message). Build it with this version's PerfWorkload.")
    }
    func text(_ time: Double) -> String { NumberFormat.human(time, .time) }
    let now = SystemCalls.now()
    let (life, most) = (Double(now - record.launched), Double(now - record.began))
    let phase = Double(ended.wall) - Double(began.wall)
    let cpus = SystemCalls.onlineCPUs
    // The clocks of processes and of the machine may differ a little.
    func limit(_ time: Double) -> Double { 1.01 * max(time, 0) * Double(cpus) + 1e7 }
    let used = Double(ended.cpu) - Double(began.cpu)
    guard used >= 0, used <= limit(min(phase, most)) else {
      try fail("\(text(used)) of CPU time within \(text(phase)) on \(cpus) CPUs")
    }
    // The kernel's division into user and system time is an estimate over the whole life.
    for (name, began, ended) in [
      ("CPU", began.cpu, ended.cpu), ("user", began.user, ended.user),
      ("system", began.system, ended.system),
    ] where began > ended || Double(ended) > limit(life) {
      try fail(
        "\(text(Double(began))) and then \(text(Double(ended))) of \(name) time in the "
          + "\(text(life)) since its start")
    }
    // An allocation takes a nanosecond at least, and a size has 47 bits.
    let allocations = Double(ended.allocations ?? 0)
    guard (began.allocations ?? 0) <= (ended.allocations ?? 0), allocations <= limit(life),
      (began.allocated ?? 0) <= (ended.allocated ?? 0),
      Double(ended.allocated ?? 0) <= allocations * 0x1p47
    else { try fail("counts of allocations that are not possible in \(text(life))") }
    guard record.began <= began.wall, began.wall <= ended.wall, ended.wall <= now else {
      try fail(
        "a phase of \(text(phase)) that was not within the \(text(most)) since it was asked for it")
    }
    if ended.wall - began.wall < Self.shortestPhase {
      warn([
        RunWarning(
          code: "worker.no_time",
          message: "the measured phase took \(ended.wall - began.wall) ns, "
            + "too short for its clocks",
          remedy: "Do the work within the measured phase, and repeat it if it is short.")
      ])
    }
  }

  /// The shortest phase in nanoseconds that lasts longer than the calls that read its clocks.
  private static let shortestPhase: UInt64 = 1000
}
