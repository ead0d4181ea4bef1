internal import PerfModel
internal import PerfProtocol

extension Launcher {
  func measureWorkload(
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

  /// Starts the threads that read memory, drain samples and apply pressure.
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

  /// Starts the threads that read a process's memory and drain its samples.
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

  /// Waits until the worker is prepared; returns false if the launch is over.
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

  /// Waits for the end of the measured phase; a failure of the worker is the launch's status.
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
}
