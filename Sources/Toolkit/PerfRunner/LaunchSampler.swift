internal import Glibc
internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// Samples the processes of a run, one launch after another.
protocol LaunchSampler: Sendable {
  /// Bytes of shared memory that the program maps.
  var bytes: UInt64 { get }

  /// Prepares the sampling of the next process, which the calling thread starts.
  ///
  /// - Throws: `EventObstacle` if the kernel refuses; `RunnerError.cannotAttach` if it refuses a running
  ///   process.
  func prepare(_ launch: inout WorkerProcess.Configuration, index: Int) throws
  func start()
  /// Waits until sampling has begun; at most a twentieth of a second.
  func awaitBegin()
  /// The CPU time that the sampler has used in the program so far, in nanoseconds.
  var cpu: UInt64 { get }
  /// Stops sampling; a second call does nothing.
  func stop()
  /// Takes over the records so far.
  func takeOver()
  /// Takes over the remaining records of the ended process, and returns all of them.
  func finish() -> Capture?
  /// Returns the records of the followed processes, empty if processes are not followed.
  func finishFollowed() -> (remains: [FollowedProcesses.Remains], warnings: [RunWarning])
  /// Adapts the rate of sampling in the next processes to the metrics of a completed launch.
  func adapt(to metrics: [String: Double])
}

extension LaunchSampler {
  func awaitBegin() {}
  /// The kernel samples without a thread in the program.
  var cpu: UInt64 { 0 }
  func adapt(to metrics: [String: Double]) {}
}

/// Samples by the kernel.
final class LaunchEvents: LaunchSampler {
  private let settings: EventSettings
  /// The agent of a worker, which takes no samples but records frames, phases and other marks.
  private let marks: LaunchCapture?
  /// Whether sampling begins after the start of the process.
  private let startsPaused: Bool
  private let scratch: String
  private let followsChildren: Bool
  private let attached: Int32?
  private let session = Mutex<EventSession?>(nil)
  private let followed = Mutex<[EventSession.Process]>([])

  /// Prepares the sampling of launches.
  ///
  /// - Parameters:
  ///   - plan: The plan with rate and stack size.
  ///   - startsAtLaunch: Whether the measured phase begins with the process.
  /// - Throws: `PerfProfileError` if the segment for the marks of a worker cannot be created.
  init(plan: MeasurementPlan, startsAtLaunch: Bool) throws {
    settings = EventSettings(
      interval: 1_000_000_000 / UInt64(max(1, plan.rate)), stackBytes: plan.stackBytes)
    marks =
      plan.hasWorkload
      ? try plan.agent.map { try LaunchCapture(marking: plan, agent: $0, isStart: startsAtLaunch) }
      : nil
    startsPaused = plan.hasWorkload && !startsAtLaunch
    (scratch, followsChildren) = (plan.scratchDirectory, plan.followsChildren)
    attached = plan.attachment?.process
  }

  /// Nothing but marks is mapped into the program.
  var bytes: UInt64 { marks?.bytes ?? 0 }

  func prepare(_ launch: inout WorkerProcess.Configuration, index: Int) throws {
    marks?.prepare(&launch, index: index)
    try session.withLock { $0 = try begin(SampleStorage(folder: scratch)) }
  }

  /// Begins to sample the running process, or prepares the sampling of the next program.
  ///
  /// A user who may not sample the kernel samples the code of programs.
  private func begin(_ storage: SampleStorage) throws -> EventSession {
    do {
      do {
        return try open(settings, storage)
      } catch let obstacle where obstacle.leavesUserCode {
        return try open(settings.ofUserCode, storage)
      }
    } catch {
      throw attached.map { Self.failure(to: $0, error) } ?? error
    }
  }

  private func open(
    _ settings: EventSettings, _ storage: SampleStorage
  ) throws(EventObstacle) -> EventSession {
    guard let attached else {
      return try EventSession(settings, storage: storage, isPaused: startsPaused)
    }
    return try EventSession(attachingTo: attached, settings, storage: storage)
  }

  /// Returns the error for a process that the kernel does not sample, although it samples others.
  static func failure(to process: Int32, _ obstacle: EventObstacle) -> any Error {
    // The memory of the rings does not depend on the process.
    guard !obstacle.isOfRing else { return obstacle }
    switch obstacle.errno {
    case ESRCH:
      return RunnerError.cannotAttach(
        process: process, reason: "it has ended", remedy: "Pass the id of a running program.")
    case EACCES, EPERM:
      return RunnerError.cannotAttach(
        process: process,
        reason:
          "this user may not trace it: it has gained rights, or does not let itself be traced",
        remedy: "Run perfkit as root.")
    default: return obstacle
    }
  }

  /// Begins the sampling of a worker's phase; otherwise sampling began with the program.
  func start() {
    marks?.start()
    if startsPaused { session.withLock { $0?.resume() } }
  }

  func stop() {
    marks?.stop()
    session.withLock { $0?.stop() }
  }

  func takeOver() {
    marks?.takeOver()
    session.withLock { $0?.drain() }
  }

  func finish() -> Capture? {
    let result = session.withLock { session in
      defer { session = nil }
      return session?.finish()
    }
    guard let result else { return nil }
    var program = result.program
    if let marks = marks?.finish() { program.add(marksOf: marks) }
    if followsChildren { followed.withLock { $0 = result.others } }
    return program
  }

  func finishFollowed() -> (remains: [FollowedProcesses.Remains], warnings: [RunWarning]) {
    followed.withLock { followed in
      defer { followed = [] }
      // Those of a process that goes on are expected to go on, too.
      let living = attached == nil ? followed.filter(\.isLiving) : []
      return (
        followed.map { .init(capture: $0.capture, ended: $0.ended) },
        FollowedProcesses.warnings(
          ofLiving: living.map { process in
            "\(process.capture.threads.first?.name ?? "")[\(process.capture.process)]"
          })
      )
    }
  }
}
