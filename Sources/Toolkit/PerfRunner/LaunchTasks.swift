internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// Records the waits of Swift tasks in the processes of a run, one launch after another.
///
/// The library that records them is preloaded besides the agent, or alone if the kernel samples a command.
final class LaunchTasks: Sendable {
  private let library: String
  private let segment = Mutex<TaskSegment?>(nil)

  /// The descriptor number of the segment in the program.
  private static let segmentDescriptor: Int32 = 5

  init(library: String) { self.library = library }

  /// Creates the tables of the next process and adds the library to its environment.
  ///
  /// - Throws: `PerfProfileError.segment` if the tables cannot be created.
  func prepare(_ launch: inout WorkerProcess.Configuration) throws {
    let new = try TaskSegment()
    segment.withLock { $0 = new }
    launch.descriptors.append((new.descriptor, Self.segmentDescriptor))
    launch.environment[TaskSegment.descriptorVariable] = String(Self.segmentDescriptor)
    let others = launch.environment["LD_PRELOAD"].map { ":\($0)" } ?? ""
    launch.environment["LD_PRELOAD"] = library + others
  }

  /// Begins the measured phase.
  func start() { segment.withLock { $0?.begin() } }

  /// Ends the measured phase.
  func stop() { segment.withLock { $0?.end() } }

  /// Gives the waits to the capture of the process that ran the tasks.
  ///
  /// - Parameters:
  ///   - program: The capture of the program.
  ///   - followed: The records of the processes that it started.
  /// - Returns: The problems that a reader of the waits must know.
  func finish(
    _ program: inout Capture?, _ followed: inout [FollowedProcesses.Remains]
  ) -> [RunWarning] {
    let ended = segment.withLock { segment in
      defer { segment = nil }
      return segment
    }
    guard let waits = ended?.read() else { return [] }
    if waits.process == 0 { return waits.warnings(in: program) }
    if program?.process == waits.process {
      program?.tasks = waits
      return waits.warnings(in: program)
    }
    let place = followed.firstIndex { $0.capture.process == waits.process }
    if let place { followed[place].capture.tasks = waits }
    return waits.warnings(in: place.map { followed[$0].capture })
  }
}
