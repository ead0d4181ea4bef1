internal import Glibc
internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// The capture segment of a run, which is used by one process after another.
final class LaunchCapture: LaunchSampler {
  private let segment: CaptureSegment
  private let agent: String
  private let scratch: String
  private let drain = Mutex<SegmentDrain?>(nil)
  private let followed: FollowedProcesses?

  /// Bytes of shared memory that the worker maps.
  var bytes: UInt64 { UInt64(segment.bytes) }

  /// The descriptor number of the segment in the worker.
  private static let segmentDescriptor: Int32 = 4

  /// Creates the segment.
  ///
  /// - Parameters:
  ///   - plan: The plan with rate and seed.
  ///   - agent: The path of the agent library.
  ///   - isStart: Whether the start of the process is measured. Then the segment is small, because
  ///     each mapped page takes start time.
  ///   - timesSpans: Whether marks tell spans whose thread did not begin them.
  /// - Throws: `PerfProfileError` if the segment cannot be created.
  init(
    plan: MeasurementPlan, agent: String, isStart: Bool, timesSpans: Bool = false
  ) throws {
    self.agent = agent
    scratch = plan.scratchDirectory
    let interval = plan.rate > 0 ? 1_000_000_000 / UInt64(plan.rate) : 0
    var configuration =
      isStart
      ? CaptureConfiguration.coldStart(interval: interval, seed: plan.seed)
      : CaptureConfiguration(interval: interval, seed: plan.seed)
    configuration.spareRings = CaptureConfiguration.usualSpareRings
    configuration.hasEmptyHandler = plan.hasEmptyHandler
    configuration.timesSpans = timesSpans
    configuration.signal = plan.signal.number
    configuration.copyStacks(upTo: plan.stackBytes)
    if plan.countsAllocations {
      configuration.allocationInterval =
        interval > 0 ? CaptureConfiguration.defaultAllocationInterval : 0
    }
    segment = try CaptureSegment(configuration)
    followed =
      plan.followsChildren
      ? try FollowedProcesses(Self.child(of: configuration), scratch: scratch) : nil
  }

  /// Returns the configuration of child processes.
  ///
  /// There may be many, and each mapped page takes start time.
  static func child(of configuration: CaptureConfiguration) -> CaptureConfiguration {
    var child = CaptureConfiguration.coldStart(
      interval: configuration.interval, seed: configuration.seed)
    child.spareRings = configuration.spareRings
    child.signal = configuration.signal
    child.copyStacks(upTo: configuration.stackBytes)
    return child
  }

  /// Creates a segment for marks alone, beside samples of the kernel.
  ///
  /// - Parameters:
  ///   - plan: The plan, whose rate and stack size are the kernel's.
  ///   - agent: The path of the agent library.
  ///   - isStart: Whether the start of the process is measured.
  /// - Throws: `PerfProfileError` if the segment cannot be created.
  convenience init(marking plan: MeasurementPlan, agent: String, isStart: Bool) throws {
    var plan = plan
    (plan.rate, plan.stackBytes) = (0, CaptureConfiguration.defaultStackBytes)
    try self.init(plan: plan, agent: agent, isStart: isStart, timesSpans: true)
  }

  /// Resets the segment for the next process and adds the agent to its environment.
  func prepare(_ launch: inout WorkerProcess.Configuration, index: Int) {
    segment.reset(seed: segment.configuration.seed &+ UInt64(index))
    drain.withLock { $0 = SegmentDrain(segment, storage: SampleStorage(folder: scratch)) }
    launch.ownSignal = segment.configuration.signal
    launch.descriptors.append((segment.descriptor, Self.segmentDescriptor))
    launch.environment[CaptureSegment.descriptorVariable] = String(Self.segmentDescriptor)
    launch.environment[FollowedProcesses.variable] = followed?.address
    let others = launch.environment["LD_PRELOAD"].map { ":\($0)" } ?? ""
    launch.environment["LD_PRELOAD"] = agent + others
  }

  /// Starts the ticker.
  func start() { segment.setSampling(true) }

  /// Waits for the ticker, which reads the threads and libraries of the program first: that is no part of
  /// the measured phase.
  func awaitBegin() {
    guard segment.configuration.interval > 0, segment.agentVersion != 0 else { return }
    let deadline = SystemCalls.now() + 50_000_000
    while segment.tickerCPU == 0, !segment.hasNoTicker, SystemCalls.now() < deadline {
      usleep(20)
    }
  }

  var cpu: UInt64 { segment.tickerCPU }

  /// Stops the ticker; a second call does nothing.
  func stop() { segment.setSampling(false) }

  func takeOver() {
    drain.withLock { $0?.drain() }
    followed?.takeOver()
  }

  /// Takes over the remaining records of the ended process, and returns all of them.
  func finish() -> Capture? {
    drain.withLock { drain in
      defer { drain = nil }
      return drain?.finish()
    }
  }

  /// Adapts the rate of sampled allocations.
  func adapt(to metrics: [String: Double]) {
    guard let interval = segment.allocationInterval, interval > 0,
      let bytes = metrics[MetricName.allocBytes], let cpu = metrics[MetricName.cpuTotal]
    else { return }
    segment.allocationInterval = CaptureConfiguration.allocationInterval(
      forLaunchOf: bytes, cpu: cpu)
  }

  /// Returns the records of the followed processes, empty if processes are not followed.
  func finishFollowed() -> (remains: [FollowedProcesses.Remains], warnings: [RunWarning]) {
    followed?.finish() ?? ([], [])
  }
}
