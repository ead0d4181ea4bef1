extension Profile {
  /// A sample on the time line with the time that it represents.
  public struct WeightedMoment: Sendable {
    /// The sample.
    public let moment: Moment
    /// The represented CPU time in nanoseconds; wall time for a waiting thread.
    public let weight: Double
  }

  /// Returns the samples of some launches with their weights, by launch and by time.
  ///
  /// The weight of a wait is the time until the thread's next sample. The weight of any other sample,
  /// and of a thread's last wait, is the mean over the samples with equal attributes, so that the sums
  /// equal the sums of the counts.
  ///
  /// - Parameter isSelected: Returns whether a launch is selected, by its number.
  /// - Returns: The samples of each selected launch that has samples, by number.
  public func weightedTimeline(
    _ isSelected: (Int) -> Bool = { _ in true }
  ) -> [(launch: Int, moments: [WeightedMoment])] {
    var sums: [[Int]: (samples: Int, weight: Double)] = [:]
    for count in counts where isSelected(count.launch) {
      let key = Self.key(of: count)
      sums[key, default: (0, 0)].samples &+= count.samples
      sums[key, default: (0, 0)].weight += count.weight
    }
    return timeline.filter { isSelected($0.key) && !$0.value.isEmpty }
      .sorted { $0.key < $1.key }
      .map { launch, timeline in
        // Moments are ordered by time, except in a damaged imported store.
        let moments = timeline.sorted { $0.time < $1.time }
        let waits = Self.waits(in: moments)
        for (place, wait) in waits {
          let key = Self.key(of: moments[place], in: launch)
          sums[key]?.samples &-= 1
          sums[key]?.weight -= wait
        }
        let weighted = moments.enumerated().map { index, moment in
          let sum = sums[Self.key(of: moment, in: launch)] ?? (1, 0)
          return WeightedMoment(
            moment: moment,
            weight: waits[index] ?? max(0, sum.weight / Double(max(1, sum.samples))))
        }
        return (launch, weighted)
      }
  }

  /// Returns the attributes that a count shares with its samples.
  private static func key(of count: Count) -> [Int] {
    [
      count.launch, count.node, count.thread, count.phase, count.signpost,
      count.frameClass.rawValue, count.state.rawValue,
    ]
  }

  private static func key(of moment: Moment, in launch: Int) -> [Int] {
    [
      launch, moment.node, moment.thread, moment.phase, moment.signpost,
      moment.frameClass.rawValue, moment.state.rawValue,
    ]
  }

  /// Returns the durations of a launch's waits in nanoseconds, by index.
  ///
  /// The last wait of a thread has no known end and is omitted.
  private static func waits(in moments: [Moment]) -> [Int: Double] {
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
