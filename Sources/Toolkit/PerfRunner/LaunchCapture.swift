internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// The capture segment of a run: made once, handed to one process after the other.
final class LaunchCapture: Sendable {
  private let segment: CaptureSegment
  private let agent: String
  private let scratch: String
  private let drain = Mutex<SegmentDrain?>(nil)
  private let followed: FollowedProcesses?

  /// Bytes of shared memory that the worker maps.
  var bytes: UInt64 { UInt64(segment.bytes) }

  /// The number under which the worker gets the segment's descriptor.
  private static let segmentDescriptor: Int32 = 4

  /// Makes the segment.
  ///
  /// - Parameters:
  ///   - plan: Says the rate and the seed.
  ///   - agent: The path of the agent library.
  ///   - isStart: Whether the process's start is measured: then the segment is small, since each
  ///     page that is mapped takes start time.
  /// - Throws: `PerfProfileError` when it cannot be made.
  init(plan: MeasurementPlan, agent: String, isStart: Bool) throws {
    self.agent = agent
    scratch = plan.scratchDirectory
    let interval = plan.rate > 0 ? 1_000_000_000 / UInt64(plan.rate) : 0
    var configuration =
      isStart
      ? CaptureConfiguration.coldStart(interval: interval, seed: plan.seed)
      : CaptureConfiguration(interval: interval, seed: plan.seed)
    configuration.spareRings = CaptureConfiguration.usualSpareRings
    configuration.hasEmptyHandler = plan.hasEmptyHandler
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

  /// Returns what children are sampled with: they may be many, and each page that one maps takes start
  /// time.
  static func child(of configuration: CaptureConfiguration) -> CaptureConfiguration {
    var child = CaptureConfiguration.coldStart(
      interval: configuration.interval, seed: configuration.seed)
    child.spareRings = configuration.spareRings
    child.signal = configuration.signal
    child.copyStacks(upTo: configuration.stackBytes)
    return child
  }

  /// Makes the segment ready for the next process and adds the agent to its environment.
  func prepare(_ launch: inout WorkerProcess.Configuration, index: Int) {
    segment.reset(seed: segment.configuration.seed &+ UInt64(index))
    drain.withLock { $0 = SegmentDrain(segment, spoolFolder: scratch) }
    launch.ownSignal = segment.configuration.signal
    launch.descriptors.append((segment.descriptor, Self.segmentDescriptor))
    launch.environment[CaptureSegment.descriptorVariable] = String(Self.segmentDescriptor)
    launch.environment[FollowedProcesses.variable] = followed?.address
    let others = launch.environment["LD_PRELOAD"].map { ":\($0)" } ?? ""
    launch.environment["LD_PRELOAD"] = agent + others
  }

  /// Lets the ticker tick.
  func start() { segment.setSampling(true) }

  /// Stops the ticker; does nothing the second time.
  func stop() { segment.setSampling(false) }

  /// Takes over what the process has written so far.
  func takeOver() {
    drain.withLock { $0?.drain() }
    followed?.takeOver()
  }

  /// Takes over the rest once the process has ended, and returns all that it left.
  func finish() -> Capture? {
    drain.withLock { drain in
      defer { drain = nil }
      return drain?.finish()
    }
  }

  /// Takes over what the processes left that the program had started; nothing when they are not
  /// followed.
  func finishFollowed() -> (remains: [FollowedProcesses.Remains], warnings: [RunWarning]) {
    followed?.finish() ?? ([], [])
  }
}
