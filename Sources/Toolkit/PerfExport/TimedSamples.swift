internal import PerfModel

/// The samples of a profile by launch, thread and time.
struct TimedSamples {
  /// One sample on the time line.
  struct Sample {
    /// Nanoseconds since the start of the launch's measured phase.
    let time: UInt64
    /// The innermost node.
    let node: Int
    /// The CPU time that the sample represents, in nanoseconds; wall time for a waiting thread.
    let weight: Double
    let state: Profile.State
    /// The CPU time since the thread's previous sample, in nanoseconds.
    let cpu: UInt64?
  }

  /// The samples of one thread of one launch.
  struct Thread {
    let name: String
    /// The thread's number in its process.
    let serial: Int
    var samples: [Sample] = []
  }

  /// The launches with their threads, both by number.
  let launches: [(index: Int, threads: [Thread])]

  /// Selects samples from the time line.
  ///
  /// - Throws: `noTimeline`, or `nothingSelected`.
  init(_ run: Run, _ profile: Profile, _ selection: SampleFilter, for format: ProfileFormat)
    throws(ExportError)
  {
    let timelines = profile.weightedTimeline { (selection.launch ?? $0) == $0 }
    guard !timelines.isEmpty else { throw .noTimeline(run: run.id, format: format) }
    launches = timelines.compactMap { launch, moments in
      var threads: [Int: Thread] = [:]
      for weighted in moments where selection.selects(weighted.moment, of: profile) {
        let moment = weighted.moment
        let thread = Thread(name: profile.threads[moment.thread].name, serial: moment.serial)
        threads[moment.serial, default: thread].samples.append(
          Sample(
            time: moment.time, node: moment.node, weight: weighted.weight, state: moment.state,
            cpu: moment.cpu))
      }
      return threads.isEmpty ? nil : (launch, threads.values.sorted { $0.serial < $1.serial })
    }
    guard !launches.isEmpty else { throw .nothingSelected(run: run.id) }
  }
}

extension SampleFilter {
  /// Returns whether the filter selects a moment; the caller checks the launch.
  fileprivate func selects(_ moment: Profile.Moment, of profile: Profile) -> Bool {
    (!onlyMissedFrames || moment.frameClass == .missed)
      && thread.map { profile.threads[moment.thread].name == $0 } ?? true
      && phase.map { profile.phases[moment.phase] == $0 } ?? true
      && signpost.map { profile.signposts[moment.signpost] == $0 } ?? true
  }
}
