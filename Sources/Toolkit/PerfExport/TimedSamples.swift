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
  /// The weight of a wait is the time until the thread's next sample. The weight of any other
  /// sample, and of a thread's last wait, is the mean over the samples with equal attributes, so
  /// that the sums equal the sums of the counts.
  init(_ run: Run, _ profile: Profile, _ selection: SampleFilter, for format: ProfileFormat)
    throws(ExportError)
  {
    let timelines = profile.timeline.filter { launch, moments in
      !moments.isEmpty && (selection.launch ?? launch) == launch
    }
    guard !timelines.isEmpty else { throw .noTimeline(run: run.id, format: format) }
    var sums: [[Int]: (samples: Int, weight: Double)] = [:]
    for count in profile.counts {
      let key = Self.key(of: count)
      sums[key, default: (0, 0)].samples &+= count.samples
      sums[key, default: (0, 0)].weight += count.weight
    }
    var launches: [(index: Int, threads: [Thread])] = []
    for (launch, timeline) in timelines.sorted(by: { $0.key < $1.key }) {
      // Moments are ordered by time, except in a damaged imported store.
      let moments = timeline.sorted { $0.time < $1.time }
      let waits = Self.waits(in: moments)
      for (place, wait) in waits {
        let key = Self.key(of: moments[place], in: launch)
        sums[key]?.samples &-= 1
        sums[key]?.weight -= wait
      }
      var threads: [Int: Thread] = [:]
      for (index, moment) in moments.enumerated()
      where selection.selects(moment, of: profile) {
        let sum = sums[Self.key(of: moment, in: launch)] ?? (1, 0)
        let thread = Thread(name: profile.threads[moment.thread].name, serial: moment.serial)
        threads[moment.serial, default: thread].samples.append(
          Sample(
            time: moment.time, node: moment.node,
            weight: waits[index] ?? max(0, sum.weight / Double(max(1, sum.samples))),
            state: moment.state, cpu: moment.cpu))
      }
      if !threads.isEmpty {
        launches.append((launch, threads.values.sorted { $0.serial < $1.serial }))
      }
    }
    guard !launches.isEmpty else { throw .nothingSelected(run: run.id) }
    self.launches = launches
  }

  /// Returns the attributes that a count shares with its samples.
  private static func key(of count: Profile.Count) -> [Int] {
    [
      count.launch, count.node, count.thread, count.phase, count.signpost,
      count.frameClass.rawValue, count.state.rawValue,
    ]
  }

  private static func key(of moment: Profile.Moment, in launch: Int) -> [Int] {
    [
      launch, moment.node, moment.thread, moment.phase, moment.signpost,
      moment.frameClass.rawValue, moment.state.rawValue,
    ]
  }

  /// Returns the durations of a launch's waits in nanoseconds, by index.
  ///
  /// The last wait of a thread has no known end and is omitted.
  private static func waits(in moments: [Profile.Moment]) -> [Int: Double] {
    var waits: [Int: Double] = [:]
    var next: [Int: UInt64] = [:]
    for (place, moment) in moments.enumerated().reversed() {
      let later = next.updateValue(moment.time, forKey: moment.serial)
      if moment.state == .waiting, let later, later >= moment.time {
        waits[place] = Double(later - moment.time)
      }
    }
    return waits
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
