/// Up to where the figures of an audit are told without a warning.
///
/// `Scripts/bench profiler` has targets for a CPU that is free; most of these are twice as wide, since a
/// warning that comes with every run on a shared machine is read by nobody. What is beyond them has
/// another reason than the neighbours: no CPU free for the sampler, very many threads, deep stacks.
enum SamplerBounds {
  /// The least part of the ticks asked for that may be made: the bench's targets, 99 % at 1 kHz and
  /// 95 % at 10 kHz.
  static func rateReached(atRate rate: Double) -> Double { rate <= 2000 ? 0.99 : 0.95 }

  /// Ticks that may be missing from the shortest run: one is lost at either end, one to chance.
  static let ticksToSpare = 3.0

  /// The largest part of the ticks that may be late.
  ///
  /// Late ones sample as well, but when something else had the CPU, so that a profile with many of
  /// them is one of other moments. The bench has no target; on a free CPU 1 in 100 is late.
  static let ticksLate = 0.1

  /// Ticks, or samples, of which parts and percentiles say something.
  static let enough = 100

  /// The least part of a program's CPU time that its sampled threads may have taken.
  static let coverage = 0.9

  /// The same of the processes that it has started.
  ///
  /// Each takes a millisecond or two before it is known,
  /// and most live no longer than some ten.
  static let childrenCoverage = 0.75

  /// Nanoseconds of a launch that may always be missing: the kernel's for its start, and the loader's.
  static let unsampled: UInt64 = 50_000_000

  /// The longest median of a handler in nanoseconds that copies 16 KiB at most and reads no
  /// callers behind awaits; the target is 1,500.
  static let handlerP50 = 3000.0

  /// The longest 99th percentile of it in nanoseconds; the target is 5,000.
  static let handlerP99 = 10_000.0

  /// The most of a core that the ticker may take.
  ///
  /// The target is 5 % at 1 kHz with 60 idle threads. That machine took 8 %, so it is 10 %; each tick
  /// costs the same, so beyond 2 kHz it grows with the rate.
  static func ticker(atRate rate: Double) -> Double { max(0.1, 0.05 * rate / 1000) }

  /// The most that handlers and signals may add to the CPU time of the sampled threads: the targets
  /// of both CPUs busy at 1 kHz, 5 %, and of 10 kHz, 12 %, the latter with a fourth on top.
  static func overhead(atRate rate: Double) -> Double { rate <= 2000 ? 0.05 : 0.15 }
}
