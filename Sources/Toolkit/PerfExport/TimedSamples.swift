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
    /// The state of the thread.
    let state: Profile.State
    /// The CPU time since the thread's previous sample, in nanoseconds.
    let cpu: UInt64?
  }

  /// The samples of one thread of one launch.
  struct Thread {
    let launch: Int
    let name: String
    /// The thread's number in its process.
    let serial: Int
    /// The samples by time.
    var samples: [Sample] = []
  }

  private struct Key: Hashable {
    let launch: Int
    let node: Int
    let thread: Int
    let detail: [Int]

    init(_ count: Profile.Count) {
      (launch, node, thread) = (count.launch, count.node, count.thread)
      detail = [count.phase, count.signpost, count.frameClass.rawValue, count.state.rawValue]
    }

    init(_ moment: Profile.Moment, of launch: Int) {
      (self.launch, node, thread) = (launch, moment.node, moment.thread)
      detail = [moment.phase, moment.signpost, moment.frameClass.rawValue, moment.state.rawValue]
    }
  }

  /// The threads by launch, then by number.
  let threads: [Thread]

  /// Selects samples from the time line.
  ///
  /// The weight of a wait is the time until the thread's next sample. The weight of any other
  /// sample, and of a thread's last wait, is the mean over the samples with equal attributes, so
  /// that the sums equal the sums of the counts.
  init(_ run: Run, _ profile: Profile, _ selection: SampleFilter, for format: ProfileFormat)
    throws(ExportError)
  {
    let launches = profile.timeline.filter { launch, moments in
      !moments.isEmpty && (selection.launch ?? launch) == launch
    }
    guard !launches.isEmpty else { throw .noTimeline(run: run.id, format: format) }
    var sums: [Key: (samples: Int, weight: Double)] = [:]
    for count in profile.counts {
      let key = Key(count)
      sums[key, default: (0, 0)].samples &+= count.samples
      sums[key, default: (0, 0)].weight += count.weight
    }
    var threads: [Thread] = []
    for (launch, moments) in launches.sorted(by: { $0.key < $1.key }) {
      var places: [Int: Int] = [:]
      let first = threads.count
      let waits = Self.waits(in: moments)
      for (place, wait) in waits {
        let key = Key(moments[place], of: launch)
        sums[key]?.samples &-= 1
        sums[key]?.weight -= wait
      }
      for (index, moment) in moments.enumerated()
      where selection.selects(moment, of: profile) {
        let sum = sums[Key(moment, of: launch)] ?? (1, 0)
        let place = places[moment.serial] ?? threads.count
        if place == threads.count {
          places[moment.serial] = place
          threads.append(
            Thread(
              launch: launch, name: profile.threads[moment.thread].name,
              serial: moment.serial))
        }
        threads[place].samples.append(
          Sample(
            time: moment.time, node: moment.node,
            weight: waits[index] ?? max(0, sum.weight / Double(max(1, sum.samples))),
            state: moment.state, cpu: moment.cpu))
      }
      // Moments are ordered by time, except in a damaged imported store.
      for place in first..<threads.count { threads[place].samples.sort { $0.time < $1.time } }
      threads[first...].sort { $0.serial < $1.serial }
    }
    guard !threads.isEmpty else { throw .nothingSelected(run: run.id) }
    self.threads = threads
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
