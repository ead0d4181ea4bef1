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
  /// The weight of a wait is the time until the thread's next sample. All other samples with equal attributes,
  /// and the last waits of threads, share the rest of the counts' weights equally, so that the sums equal the sums
  /// of the counts. A sample may represent several ticks, so their number is not that of the samples.
  ///
  /// - Parameter isSelected: Returns whether a launch is selected, by its number.
  /// - Returns: The samples of each selected launch that has samples, by number.
  public func weightedTimeline(
    _ isSelected: (Int) -> Bool = { _ in true }
  ) -> [(launch: Int, moments: [WeightedMoment])] {
    var rest: [[Int]: Double] = [:]
    for count in counts where isSelected(count.launch) {
      rest[Self.key(of: count), default: 0] += count.weight
    }
    return timeline.filter { isSelected($0.key) && !$0.value.isEmpty }
      .sorted { $0.key < $1.key }
      .map { launch, timeline in
        // Moments are ordered by time, except in a damaged imported store.
        let moments = timeline.sorted { $0.time < $1.time }
        let keys = moments.map { Self.key(of: $0, in: launch) }
        let waits = Self.waits(in: moments)
        var sharing: [[Int]: Int] = [:]
        for (place, key) in keys.enumerated() {
          if let wait = waits[place] {
            rest[key]? -= wait
          } else {
            sharing[key, default: 0] += 1
          }
        }
        let weighted = zip(moments, keys).enumerated().map { place, sample in
          let (moment, key) = sample
          let share = rest[key, default: 0] / Double(sharing[key] ?? 1)
          return WeightedMoment(moment: moment, weight: waits[place] ?? max(0, share))
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
