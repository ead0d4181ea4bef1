internal import Foundation
internal import PerfModel
internal import PerfProfile

/// Counts the launches of a run by callgrind.
final class WorkCounter {
  private let callgrind: Callgrind
  private let copy: UndescribedCopy
  private let builder: WorkProfileBuilder
  private let isWhole: Bool
  private(set) var warnings: [RunWarning] = []

  /// More instructions without a file than this share are reported; start code is below it.
  private static let notableShare = 0.001

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - callgrind: The tool.
  ///   - plan: The plan of the launches.
  ///   - isWhole: Whether launches are counted from their start.
  ///   - builder: Creates the builder of the profile from the function that maps copies of files to
  ///     their originals.
  /// - Throws: `RunnerError.cannotCount` if the program cannot be copied.
  init(
    _ callgrind: Callgrind, plan: MeasurementPlan, isWhole: Bool,
    builder: (@escaping (String) -> String) -> WorkProfileBuilder
  ) throws(RunnerError) {
    self.callgrind = callgrind
    self.isWhole = isWhole
    let copy: UndescribedCopy
    do {
      copy = try UndescribedCopy(of: plan.program[0], in: "\(plan.scratchDirectory)/program")
    } catch {
      throw .cannotCount(
        path: plan.program[0], reason: ErrorReason.clause(error.localizedDescription))
    }
    self.copy = copy
    self.builder = builder(copy.original(of:))
  }

  /// Changes a launch of the program so that it is counted.
  func prepare(_ launch: inout WorkerProcess.Configuration, in folder: String) {
    launch.path = copy.path
    callgrind.prepare(&launch, in: folder, isWhole: isWhole)
  }

  /// Reads the counts of an ended launch.
  ///
  /// - Parameters:
  ///   - record: The launch, whose status becomes a failure if it has no counts.
  ///   - folder: The folder of callgrind's files.
  /// - Returns: The metrics of the work; empty without counts.
  func finish(_ record: inout LaunchRecord, in folder: String) -> [String: Double] {
    let log = SystemCalls.read("\(folder)/valgrind.log") ?? ""
    let obstacle = Callgrind.obstacle(in: log)
    guard record.status == .completed else {
      switch record.status {
      case .failed, .crashed: if let obstacle { record.status = .failed(obstacle) }
      case .timedOut: warnAboutTime()
      default: break
      }
      return [:]
    }
    guard
      let bytes = FileManager.default.contents(atPath: "\(folder)/counts.\(record.process)")
    else {
      record.status = .failed(obstacle ?? "valgrind wrote no counts")
      return [:]
    }
    do {
      let counts = try CallgrindCounts([UInt8](bytes))
      guard counts.metrics[MetricName.workInstructions] ?? 0 > 0 else {
        record.status = .failed(
          "nothing was counted: the worker does not start the counting. Build it with the "
            + "PerfWorkload of this version")
        return [:]
      }
      if !record.isWarmup { builder.add(counts, launch: record.index) }
      warn(about: record, counts.generatedShare)
      return counts.metrics
    } catch {
      record.status = .failed("\(error)")
      return [:]
    }
  }

  /// Looks up all symbols and returns the profile; nil if no launch was counted.
  func profile() -> WorkProfile? {
    let built = builder.finish()
    warnings += built?.warnings ?? []
    return built?.profile
  }

  private func warn(about record: LaunchRecord, _ generated: Double) {
    if generated > Self.notableShare {
      warnings.append(
        RunWarning(
          code: "work.generated",
          message: "\(NumberFormat.human(generated, .ratio, digits: 2)) of the instructions are in "
            + "code that was generated at run time, which has no functions",
          remedy: "The counts of a JIT compiler depend on times. Compare times as well."))
    }
    // Programs are at least 20 times slower under valgrind, and their children are not.
    guard let own = record.after?.cpu, let children = record.after?.childrenCPU,
      children > own / 5000
    else { return }
    warnings.append(
      RunWarning(
        code: WorkProfile.childrenUncounted,
        message: "the work of the command's child processes is not counted, so it is never called "
          + "equivalent or improved",
        remedy: "Count the program that does the work, without a script that starts it."))
  }

  private func warnAboutTime() {
    warnings.append(
      RunWarning(
        code: "work.time_limit",
        message: "a launch under valgrind exceeded its time limit, one minute and more than a "
          + "hundred times the time without valgrind",
        remedy: "Count less work, e.g. with --quick or --set. Waiting loops of threads take long "
          + "under valgrind, because it runs one thread at a time."))
  }
}
