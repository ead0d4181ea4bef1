internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfProfile

/// Makes the launches of a run with one capture segment and one profile.
final class Launcher {
  /// The warnings of all launches, one per code.
  private(set) var warnings: [RunWarning] = []

  var inspect: ((Capture) -> Void)?

  let plan: MeasurementPlan
  let workload: WorkerDescription.Workload?
  private let setup: ScenarioRunner.SetupAnswer
  private let coldFiles: [String]
  let isCancelled: @Sendable () -> Bool
  let capture: LaunchCapture?
  private let builder: ProfileBuilder?
  private var load = MachineLoad()
  let startsAtLaunch: Bool
  private let runBegan = SystemCalls.now()

  init(
    plan: MeasurementPlan, workload: WorkerDescription.Workload?, setup: ScenarioRunner.SetupAnswer,
    symbols: SymbolCache?, symbolication: Symbolication,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    self.plan = plan
    self.workload = workload
    self.setup = setup
    coldFiles = plan.coldPageCache ? setup.files + [plan.program[0]] : []
    self.isCancelled = isCancelled
    startsAtLaunch = workload?.startsAtLaunch ?? true
    // An attended command may have many threads, and its start is not timed precisely.
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
  /// Failures during the measured phase are the launch's status.
  ///
  /// - Throws: `RunnerError` if the worker cannot be started or breaks the protocol before the
  ///   measured phase; `RevisionError.notWritable` if the scratch folder cannot be created.
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

  /// Symbolicates all samples, and returns the result of the launches.
  ///
  /// The user can stop while samples are symbolicated, so `wasInterrupted` is evaluated afterwards.
  func outcome(_ launches: [Launch], wasInterrupted: @autoclosure () -> Bool) -> RunOutcome {
    RunOutcome(
      launches: launches, profile: builder?.finish(cpusBusy: load.cpusBusy),
      warnings: setup.warnings + warnings, notes: setup.notes, wasInterrupted: wasInterrupted())
  }

  func readPace(_ record: inout LaunchRecord) {
    if plan.readsPace { record.pace = Pace.measure() }
  }

  func startSampling() {
    load.begin()
    capture?.start()
  }

  func stopSampling() {
    capture?.stop()
    load.end()
  }

  // MARK: - The end of a launch

  private func finish(_ record: LaunchRecord) throws -> Launch {
    let marks = capture?.finish()
    let (followed, warnings) = capture?.finishFollowed() ?? ([], [])
    warn(warnings)
    let samplerCPU = followed.reduce(marks?.tickerCPU ?? 0) {
      $0.addingReportingOverflow($1.capture.tickerCPU).partialValue
    }
    let frames = FrameAnalysis(marks?.intervals ?? [])
    var metrics: [String: Double] = [:]
    if record.status == .completed {
      metrics =
        MetricAssembler(
          record: record, marks: marks, frames: frames, samplerCPU: samplerCPU,
          segmentBytes: capture?.bytes ?? 0,
          declared: Set((workload?.counters ?? []).map(\.name))
        ).metrics
    }
    let measured = record.began...max(record.began, record.ended)
    let spans = record.isWarmup ? nil : marks.map { LaunchSpans($0, measured: measured) }
    warn(spans?.warnings ?? [])
    if let builder, let marks, !record.isWarmup {
      inspect?(marks)
      let missed = Set(frames.frames.filter { $0.overrun > 0 }.map(\.index))
      let children = record.after?.childrenCPU ?? 0
      try builder.add(
        marks, launch: record.index, measured: measured,
        allocatedBytes: metrics[MetricName.allocBytes],
        spent: metrics[MetricName.cpuTotal].map { UInt64(max(0, $0 - Double(children))) },
        frameClass: { missed.contains($0) ? .missed : .onTime })
      builder.addChildren(spent: children, areFollowed: plan.followsChildren)
      try add(followed, to: builder, launch: record.index, measured: measured)
    }
    warn(marks?.warnings ?? [])
    let counters = marks.map { series(of: $0.counters, from: record.began) } ?? []
    return Launch(
      index: record.index, isWarmup: record.isWarmup, status: record.status,
      offset: record.offset, metrics: metrics, series: record.series + counters,
      frames: frames.frames,
      began: record.began > 0 ? record.began : nil, spans: spans?.spans ?? [])
  }

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

  /// Returns a series for each counter with more than one value from a moment on.
  ///
  /// Counters that the workload does not declare are counts.
  private func series(of values: [Capture.Value], from began: UInt64) -> [TimeSeries] {
    Dictionary(grouping: values.filter { $0.time >= began }, by: \.name)
      .filter { $0.value.count > 1 }
      .map { name, values in
        let dimension = workload?.counters.first { $0.name == name }?.dimension ?? .count
        return TimeSeries(
          name: name, dimension: dimension, times: values.map { $0.time - began },
          values: values.map(\.value))
      }
      .sorted { $0.name < $1.name }
  }

  func warn(_ new: [RunWarning]) {
    for warning in new where !warnings.contains(where: { $0.code == warning.code }) {
      warnings.append(warning)
    }
  }
}
