internal import Glibc
internal import PerfModel

extension Launcher {
  /// Measures any program from its start to its end.
  func measureCommand(
    _ launch: WorkerProcess.Configuration, _ record: inout LaunchRecord
  ) throws {
    readPace(&record)
    record.machine.before = .now()
    startSampling()
    let fileTime = CommandMetricReader.fileTime()
    let suite = plan.scenario.command.suite
    let channel = try suite.map { try SuiteChannel($0.requests) }
    var launch = launch
    launch.descriptors += channel?.descriptors ?? []
    let process = try WorkerProcess(launch)
    record.process = process.id
    record.launched = process.started
    record.began = process.started
    let watch = LaunchWatch(
      process: process, segmentBytes: capture?.bytes ?? 0, limit: plan.jetsamLimit,
      readsPeak: true)
    let threads = watchers(of: process, watch, interval: 2_000_000)
    defer { threads.forEach { $0.stop() } }
    let wait = process.waitForEnd(deadline: record.began + timeLimit, isCancelled: isCancelled)
    record.ended = process.endMoment ?? SystemCalls.now()
    record.machine.after = .now()
    switch wait {
    case .ended(.exited(let code)) where plan.scenario.command.acceptedExits.contains(code):
      if !record.isWarmup { exits.insert(code) }
    case .ended(.exited(let code)) where plan.isAttended:
      warn([
        RunWarning(code: "command.exit", message: "the command exited with \(code)")
      ])
    case .ended(.exited(let code)):
      record.status = .failed("it exited with \(code)" + lastWords(of: process))
    case .ended(.signalled(let signal)):
      record.status = watch.wasKilledAtLimit ? .jetsam : .crashed(signal: signal)
    case .cancelled, .timedOut:
      record.status = wait == .cancelled ? .interrupted : .timedOut
      end(process)
      // The samples are scaled to the CPU time until here, so that none of them may be left out.
      record.ended = process.endMoment ?? SystemCalls.now()
    }
    stopSampling()
    if record.status == .completed {
      readMetrics(of: process, from: fileTime, &record)
      if let suite, let channel { readResult(of: suite, through: channel, &record) }
    }
    record.after = ProcessReadings(ofEnded: process, peakResident: peak(of: process, watch))
    record.resident = watch.residentSeries(from: record.began)
    record.series = [record.resident, watch.cpuSeries(from: record.began)]
  }

  private func readMetrics(
    of process: WorkerProcess, from fileTime: timespec, _ record: inout LaunchRecord
  ) {
    let metrics = plan.scenario.command.metrics
    guard !metrics.isEmpty, let directory = plan.surroundings.directory else { return }
    let isOutput = metrics.contains { $0.source.isOutput }
    do {
      record.reported = try CommandMetricReader(
        output: isOutput ? process.keptOutput(last: WorkerProcess.mostKeptOutput) : "",
        directory: directory,
        began: fileTime
      ).values(of: metrics)
    } catch {
      record.status = .failed("\(error)")
    }
  }

  private func readResult(
    of benchmark: SuiteBenchmark, through channel: SuiteChannel, _ record: inout LaunchRecord
  ) {
    do {
      let result = try SuiteResult(channel.messages(), of: benchmark)
      record.reported.merge(result.metrics) { own, _ in own }
      record.operations = result.operations
      guard isCounting else { return }
      let expected = countedIterations ?? result.iterations
      countedIterations = expected
      guard result.iterations == expected else {
        record.status = .failed(
          "it made \(result.iterations) iterations, and \(expected) in an earlier launch, so that its "
            + "work cannot be compared. Limit the benchmark by maxIterations, not by maxDuration")
        return
      }
    } catch {
      record.status = .failed(error.description)
    }
  }

  /// Returns the end of a failed command's output, as the rest of a sentence.
  private func lastWords(of process: WorkerProcess) -> String {
    let output = process.lastOutput()
    guard !plan.scenario.command.keepsOutput else {
      return output.isEmpty ? "" : "; its last output: \(output)"
    }
    return output.isEmpty
      ? "; it wrote no errors, and its standard output was discarded (`output: keep` in a scenario "
        + "keeps it)"
      : "; its last errors: \(output)"
  }

  /// Returns the peak memory of an ended command, or nil if it is unknown.
  ///
  /// By getrusage(2), `ru_maxrss` is the peak of the largest process. It begins with the memory that
  /// the process had before exec, which is the harness's: posix_spawn shares it until then. A greater
  /// value belongs to the command. Otherwise the last reading of VmHWM stands in, which is the peak of
  /// the first process alone.
  private func peak(of process: WorkerProcess, _ watch: LaunchWatch) -> UInt64? {
    guard let usage = process.usage, let own = ProcessReadings.peakMemory(of: getpid()) else {
      return watch.lastPeak
    }
    let largest = UInt64(max(0, usage.ru_maxrss)) << 10
    let hasChildren = ProcessReadings(ofEnded: process, peakResident: nil).childrenCPU ?? 0 > 0
    // The kernel batches resident counters per CPU, so that these values are not exact.
    let tolerance: UInt64 = 1 << 20
    if largest > own + tolerance {
      // A child does not map the capture segment, which is subtracted later.
      let isOfChild = hasChildren && largest > (watch.lastPeak ?? 0) + tolerance
      return largest + (isOfChild ? capture?.bytes ?? 0 : 0)
    }
    // The user of an attended command does not compare it, and a counted launch has no peak.
    guard !plan.isAttended, counter == nil else { return watch.lastPeak }
    let size = NumberFormat.human(Double(own), .size)
    warn([
      RunWarning(
        code: "command.rss_polled",
        message:
          "the command takes less memory than PerfKit, so that the kernel reports PerfKit's peak "
          + "(\(size)): "
          + (hasChildren ? "rss.peak is unknown" : "rss.peak was read every 2 ms"))
    ])
    return hasChildren ? nil : watch.lastPeak
  }

  /// The warning of accepted exit statuses other than 0; nil if there are none.
  var exitWarning: RunWarning? {
    guard exits.contains(where: { $0 != 0 }) else { return nil }
    let list = exits.sorted().map(String.init).joined(separator: " and ")
    return RunWarning(
      code: "command.exit", message: "the command ended with exit status \(list)",
      remedy: "Compare it only with launches that ended in the same way.")
  }

  private func end(_ process: WorkerProcess) {
    if plan.isAttended {
      // Ctrl-C has reached the command as well, and it may need time to write its results.
      if process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000) != nil { return }
      process.send(SIGTERM)
      if process.waitForEnd(deadline: SystemCalls.now() + 3_000_000_000) != nil { return }
    }
    process.kill()
    _ = process.waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
  }
}
