internal import PerfModel

/// The times in which a thread did not run, from its records.
///
/// Not every pause has a sample: the kernel limits their rate. The sampled ones stand for all.
struct EventPauses: Sendable {
  /// A sampled pause.
  struct Pause: Hashable, Sendable {
    /// Nanoseconds that it stands for.
    var weight: Double
    /// Whether the thread lost its CPU and could go on.
    let isPreempted: Bool
  }

  private struct Stop {
    let time: UInt64
    let isPreempted: Bool
    /// The time of its sample; nil without one.
    let sample: UInt64?
  }

  private var stopped: Stop?
  /// A resumption whose stop was not read yet: they are in the rings of two CPUs.
  private var resumed: UInt64?
  /// The times of samples whose stops follow, ascending.
  private var pending: [UInt64] = []
  private var pauses: [UInt64: (duration: UInt64, isPreempted: Bool)] = [:]
  /// Nanoseconds of all pauses: waits, and after the loss of the CPU.
  private var (waited, preempted): (UInt64, UInt64) = (0, 0)

  /// Takes over the time of a sample of a stop.
  mutating func sampled(at time: UInt64) {
    let place = lastIndex(of: pending.indices) { pending[$0] <= time }.map { $0 + 1 } ?? 0
    pending.insert(time, at: place)
  }

  /// Takes over a stop.
  mutating func stop(at time: UInt64, isPreempted: Bool) {
    let place = lastIndex(of: pending.indices) { pending[$0] <= time }
    let sample = place.map { pending[$0] }
    if let place { pending.removeFirst(place + 1) }
    stopped = Stop(time: time, isPreempted: isPreempted, sample: sample)
    if let resumed, resumed >= time { close(at: resumed) }
  }

  /// Takes over a resumption.
  mutating func resume(at time: UInt64) {
    if let stopped, stopped.time <= time { close(at: time) } else { resumed = time }
  }

  /// Ends a pause that lasts until the thread or sampling ends.
  mutating func end(at time: UInt64) {
    if let stopped, stopped.time <= time { close(at: time) }
  }

  private mutating func close(at time: UInt64) {
    guard let stop = stopped else { return }
    (stopped, resumed) = (nil, nil)
    let duration = time - stop.time
    if stop.isPreempted {
      preempted = preempted.addingClamped(duration)
    } else {
      waited = waited.addingClamped(duration)
    }
    if let sample = stop.sample { pauses[sample] = (duration, stop.isPreempted) }
  }

  /// The sampled pauses by the times of their samples; their weights sum up to all pauses.
  var sampled: [UInt64: Pause] {
    func known(_ isPreempted: Bool) -> Double {
      pauses.values.reduce(0) { $0 + ($1.isPreempted == isPreempted ? Double($1.duration) : 0) }
    }
    let waitScale = Double(waited) / max(known(false), 1)
    let lossScale = Double(preempted) / max(known(true), 1)
    return pauses.mapValues { pause in
      Pause(
        weight: Double(pause.duration) * (pause.isPreempted ? lossScale : waitScale),
        isPreempted: pause.isPreempted)
    }
  }
}
