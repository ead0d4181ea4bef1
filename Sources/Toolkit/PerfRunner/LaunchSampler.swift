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
  func adapt(to metrics: [String: Double]) {}
}

/// Samples by the kernel.
final class LaunchEvents: LaunchSampler {
  private let settings: EventSettings
  private let scratch: String
  private let followsChildren: Bool
  private let attached: Int32?
  private let session = Mutex<EventSession?>(nil)
  private let followed = Mutex<[EventSession.Process]>([])

  init(plan: MeasurementPlan) {
    settings = EventSettings(
      interval: 1_000_000_000 / UInt64(max(1, plan.rate)), stackBytes: plan.stackBytes)
    (scratch, followsChildren) = (plan.scratchDirectory, plan.followsChildren)
    attached = plan.attachment?.process
  }

  /// Nothing is mapped into the program.
  var bytes: UInt64 { 0 }

  func prepare(_ launch: inout WorkerProcess.Configuration, index: Int) throws {
    let (settings, attached) = (settings, attached)
    let storage = SampleStorage(folder: scratch)
    try session.withLock { session in
      session = try Self.begin(attached, settings, storage)
    }
  }

  /// Begins to sample a running process; nil prepares the sampling of the next program.
  private static func begin(
    _ process: Int32?, _ settings: EventSettings, _ storage: SampleStorage
  ) throws -> EventSession {
    guard let process else { return try EventSession(settings, storage: storage) }
    do {
      return try EventSession(attachingTo: process, settings, storage: storage)
    } catch {
      throw failure(to: process, error)
    }
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

  /// Sampling begins when the process executes its program.
  func start() {}

  func stop() { session.withLock { $0?.stop() } }

  func takeOver() { session.withLock { $0?.drain() } }

  func finish() -> Capture? {
    let result = session.withLock { session in
      defer { session = nil }
      return session?.finish()
    }
    guard let (program, others) = result else { return nil }
    if followsChildren { followed.withLock { $0 = others } }
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
