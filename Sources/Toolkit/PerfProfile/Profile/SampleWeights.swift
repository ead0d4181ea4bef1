internal import PerfModel

/// What each sample of a launch stands for.
///
/// A sample of a running thread weighs one tick; each thread's weights are then scaled so that they add up to what its
/// CPU clock moved while sampling. (Weights by the clock's move from sample to sample are biased: a
/// phase of 6.3 % of the time then reads as 2.8 to 4.2 %.)
///
/// A thread that was met waiting stays where it is until it is met again, since it is looked at
/// whenever its CPU clock has moved: that wall time is its weight. One that wanted to run and had no
/// CPU weighs what its handler was late, and the time without it before the tick that found it so.
struct SampleWeights {
  /// The state of each sample.
  private(set) var states: [Profile.State]
  /// The weight of each sample, in nanoseconds.
  private(set) var weights: [Double]
  /// CPU time while sampling by thread serial, in nanoseconds.
  private(set) var cpu: [UInt32: UInt64] = [:]

  /// Weighs the samples of one capture.
  ///
  /// - Parameters:
  ///   - samples: The samples.
  ///   - capture: Where they come from.
  ///   - end: Where the last waits end at the latest.
  /// - Complexity: O(*n* log *n*).
  init(_ samples: [WalkedSample], of capture: Capture, until end: UInt64 = .max) {
    states = Array(repeating: .running, count: samples.count)
    weights = Array(repeating: 0, count: samples.count)
    let known = Dictionary(
      capture.threads.map { (UInt32(truncatingIfNeeded: $0.serial), $0) }
    ) { _, last in last }
    for (serial, places) in Dictionary(grouping: samples.indices, by: { samples[$0].serial }) {
      let ordered = places.sorted { samples[$0].time < samples[$1].time }
      weigh(ordered, samples, thread: known[serial], capture, until: end)
    }
    for (serial, thread) in known where cpu[serial] == nil {
      // A thread that was never met running.
      cpu[serial] = Self.cpuTime([], thread: thread, interval: capture.interval)
    }
  }

  private mutating func weigh(
    _ ordered: [Int], _ samples: [WalkedSample], thread: Capture.Thread?, _ capture: Capture,
    until end: UInt64
  ) {
    for (position, place) in ordered.enumerated() where !samples[place].isWaiting {
      let sample = samples[place]
      let next = position + 1 < ordered.count ? samples[ordered[position + 1]] : nil
      guard Self.wasRunnable(sample, next: next, interval: capture.interval) else { continue }
      let before = position > 0 ? samples[ordered[position - 1]] : nil
      states[place] = .runnable
      weights[place] = Double(
        sample.time - sample.tick + Self.unseen(sample, after: before, interval: capture.interval))
    }
    let sampled = ordered.filter { !samples[$0].isWaiting }
    let running = sampled.filter { states[$0] == .running }
    let total = Self.cpuTime(
      sampled.map { samples[$0] }, thread: thread, interval: capture.interval)
    for place in running { weights[place] = Double(total) / Double(running.count) }
    if let first = ordered.first { cpu[samples[first].serial] = total }

    for (position, place) in ordered.enumerated() where samples[place].isWaiting {
      states[place] = .waiting
      let next =
        position + 1 < ordered.count
        ? samples[ordered[position + 1]].time
        : thread?.ended ?? Self.lastMoment(of: capture, until: end)
      let last = min(next, end)
      weights[place] = last > samples[place].time ? Double(last - samples[place].time) : 0
    }
  }

  /// When a thread stopped waiting that nobody saw go on.
  ///
  /// At the end of sampling, or of a process that was killed or ended without a word. One that went on
  /// as a program of which nothing is known may have waited for any time.
  private static func lastMoment(of capture: Capture, until end: UInt64) -> UInt64 {
    if capture.audit.samplingEnded > 0 { return capture.audit.samplingEnded }
    return capture.audit.hasLeft || end == .max ? 0 : end
  }

  /// Whether a thread wanted to run, but had no CPU between the tick and its handler.
  ///
  /// Its CPU clock is known at each tick only: between this one and the next it moved by `ran`, of
  /// which at most the time from the handler to the next tick was after the handler.
  private static func wasRunnable(
    _ sample: WalkedSample, next: WalkedSample?, interval: UInt64
  ) -> Bool {
    let late = sample.time > sample.tick ? sample.time - sample.tick : 0
    guard late > max(interval / 2, 100_000), let next, next.cpu >= sample.cpu else { return false }
    let ran = next.cpu - sample.cpu
    let after = next.tick > sample.time ? next.tick - sample.time : 0
    return ran < late / 2 &+ after
  }

  /// How long a thread had had no CPU when a tick found it so.
  ///
  /// Since its sample before, it ran for as long as its clock says; in the rest of that time it had no
  /// CPU. That could also be a wait which no tick met, so it is as long as two ticks are apart at most.
  private static func unseen(
    _ sample: WalkedSample, after before: WalkedSample?, interval: UInt64
  ) -> UInt64 {
    guard let before, !before.isWaiting, sample.tick > before.time, sample.cpu >= before.cpu else {
      return 0
    }
    let (elapsed, ran) = (sample.tick - before.time, sample.cpu - before.cpu)
    return min(elapsed > ran ? elapsed - ran : 0, 2 * interval)
  }

  /// How far a thread's CPU clock moved while sampling.
  ///
  /// The ticker reads it when a thread or sampling begins and when either ends; where those marks
  /// are missing, as after a crash, the samples' own readings stand in.
  private static func cpuTime(
    _ samples: [WalkedSample], thread: Capture.Thread?, interval: UInt64
  ) -> UInt64 {
    // The clock that the first sample carries had already moved within its tick.
    let first = samples.first?.cpu ?? 0
    let start = thread?.startCPU ?? (first > interval ? first - interval : 0)
    let end = thread?.endCPU ?? samples.last?.cpu ?? start
    return (thread?.earlierCPU ?? 0).addingClamped(end > start ? end - start : 0)
  }
}
