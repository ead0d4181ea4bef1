internal import CPerfFormat
internal import PerfModel

/// The states and weights of a launch's samples.
///
/// A sample of a running thread weighs its tick and the later ticks at which the thread ran and had not
/// taken its signal yet, because it was inside of a system call. If other threads took its CPU during
/// that call, the sample also stands for the time without a CPU. The weights of each thread are then
/// scaled to the CPU time that the thread used while sampling. (Weights by the clock's difference from
/// sample to sample are biased: a phase of 6.3 % of the time reads as 2.8 to 4.2 %.)
///
/// A waiting thread is examined again when its CPU clock has moved, so the weight of a wait is the
/// wall time until the next sample. A runnable thread without a CPU weighs the delay of its handler
/// plus the time without a CPU before the tick. A thread that had been woken at the tick and had no CPU
/// yet is runnable for an interval: such delays are shorter, and ticks meet them at random.
struct SampleWeights {
  /// The state of each sample.
  private(set) var states: [Profile.State]
  /// The weight of each sample in nanoseconds.
  private(set) var weights: [Double]
  /// The time without a CPU during the system calls of running samples, in nanoseconds by place.
  private(set) var delays: [Int: Double] = [:]
  /// The CPU time while sampling by thread serial, in nanoseconds.
  private(set) var cpu: [UInt32: UInt64] = [:]
  /// Threads whose CPU clock moved further than the process can have lived; their CPU time is left out.
  private(set) var impossibleClocks = 0

  /// Weighs the samples of one capture.
  ///
  /// - Parameters:
  ///   - samples: The samples.
  ///   - capture: The capture of the samples.
  ///   - end: The latest end of a wait.
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
      // This thread was never sampled while it ran.
      cpu[serial] = cpuTime([], thread: thread, capture)
    }
  }

  private mutating func weigh(
    _ ordered: [Int], _ samples: [WalkedSample], thread: Capture.Thread?, _ capture: Capture,
    until end: UInt64
  ) {
    for (position, place) in ordered.enumerated() where !samples[place].isWaiting {
      let sample = samples[place]
      let next = position + 1 < ordered.count ? samples[ordered[position + 1]] : nil
      guard sample.ticks == 1 else {
        delays[place] = Self.delay(sample, next: next, interval: capture.interval)
        continue
      }
      guard Self.wasRunnable(sample, next: next, interval: capture.interval) else { continue }
      let before = position > 0 ? samples[ordered[position - 1]] : nil
      states[place] = .runnable
      weights[place] = Double(
        sample.time - sample.tick + Self.unseen(sample, after: before, interval: capture.interval))
    }
    let sampled = ordered.filter { !samples[$0].isWaiting }
    let onCPU = sampled.filter { states[$0] == .running }
    // If all of them were woken, the thread's CPU time has no better place.
    if onCPU.contains(where: { !samples[$0].isWoken }) {
      for place in onCPU where samples[place].isWoken {
        states[place] = .runnable
        weights[place] = Double(capture.interval)
      }
    }
    let running = onCPU.filter { states[$0] == .running }
    let total = cpuTime(sampled.map { samples[$0] }, thread: thread, capture)
    let ticks = running.reduce(0) { $0 + samples[$1].ticks }
    for place in running {
      weights[place] = Double(total) / Double(ticks) * Double(samples[place].ticks)
    }
    if let first = ordered.first { cpu[samples[first].serial] = total }

    if capture.engine == .perf {
      weighPauses(ordered.filter { samples[$0].isWaiting }, samples, capture)
      return
    }
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

  /// Weighs pauses by their durations, which the kernel recorded.
  private mutating func weighPauses(
    _ places: [Int], _ samples: [WalkedSample], _ capture: Capture
  ) {
    for place in places {
      let pause = capture.pauses[samples[place].serial]?[samples[place].time]
      states[place] = pause?.isPreempted == true ? .runnable : .waiting
      weights[place] = pause?.weight ?? 0
    }
  }

  /// Returns the end of a wait after which the thread was not sampled again.
  ///
  /// It is the end of sampling, or the end of a process that was killed or left no record. It is 0
  /// if the process executed an unknown program, because the thread may then have waited for any
  /// time.
  private static func lastMoment(of capture: Capture, until end: UInt64) -> UInt64 {
    if capture.audit.sampling_ended_ns > 0 { return capture.audit.sampling_ended_ns }
    return capture.audit.left != 0 || end == .max ? 0 : end
  }

  /// Returns whether a thread wanted to run but had no CPU between the tick and its handler.
  ///
  private static func wasRunnable(
    _ sample: WalkedSample, next: WalkedSample?, interval: UInt64
  ) -> Bool {
    guard let (late, ran, after) = times(sample, next: next), late > max(interval / 2, 100_000)
    else { return false }
    return ran < (late / 2).addingClamped(after)
  }

  /// Returns how long a thread had no CPU during a system call of several ticks; nil if it may have
  /// had one all the time.
  ///
  /// Between the tick and its handler the thread ran until the last tick that found it on a CPU, or for
  /// longer by its clock. (An interval for each such tick would be too much: the signals of a tick make
  /// the kernel pass a CPU from one thread to another, and the tick then finds both on it.)
  private static func delay(
    _ sample: WalkedSample, next: WalkedSample?, interval: UInt64
  ) -> Double? {
    guard let (late, ran, after) = times(sample, next: next) else { return nil }
    let inCall = max(
      sample.mergedCPU > sample.cpu ? sample.mergedCPU - sample.cpu : 0,
      ran > after ? ran - after : 0)
    return late > inCall.addingClamped(interval) ? Double(late - inCall) : nil
  }

  /// Returns the delay of a handler after its tick, how long the thread ran until the next tick, and how
  /// much of that can have passed after the handler; nil if the thread was not sampled again.
  ///
  /// The CPU clock is known at ticks only.
  private static func times(
    _ sample: WalkedSample, next: WalkedSample?
  ) -> (late: UInt64, ran: UInt64, after: UInt64)? {
    guard let next, next.cpu >= sample.cpu else { return nil }
    return (
      sample.time > sample.tick ? sample.time - sample.tick : 0, next.cpu - sample.cpu,
      next.tick > sample.time ? next.tick - sample.time : 0
    )
  }

  /// Returns how long a thread had had no CPU at a tick.
  ///
  /// Since its previous sample the thread ran for the difference of its CPU clock and had no CPU
  /// for the rest. The rest may also contain a wait that no tick found, so it is limited to two
  /// intervals.
  private static func unseen(
    _ sample: WalkedSample, after before: WalkedSample?, interval: UInt64
  ) -> UInt64 {
    guard let before, !before.isWaiting, !sample.isWoken, sample.tick > before.time,
      sample.cpu >= before.cpu
    else {
      return 0
    }
    let (elapsed, ran) = (sample.tick - before.time, sample.cpu - before.cpu)
    return min(elapsed > ran ? elapsed - ran : 0, 2 * interval)
  }

  /// Returns how far a thread's CPU clock moved while sampling.
  ///
  /// The ticker reads the clock at both ends of a thread and of sampling. If these records are
  /// missing, e.g. after a crash, the clocks in the samples replace them.
  private mutating func cpuTime(
    _ samples: [WalkedSample], thread: Capture.Thread?, _ capture: Capture
  ) -> UInt64 {
    // The first sample's clock already contains up to one interval of the thread's time.
    let first = samples.first?.cpu ?? 0
    let start = thread?.startCPU ?? (first > capture.interval ? first - capture.interval : 0)
    let end = thread?.endCPU ?? samples.last?.cpu ?? start
    let time = (thread?.earlierCPU ?? 0).addingClamped(end > start ? end - start : 0)
    // The clocks of a thread and of the machine may differ a little.
    guard time > capture.longestLife.addingClamped(capture.longestLife / 64) else { return time }
    impossibleClocks += 1
    return 0
  }
}
