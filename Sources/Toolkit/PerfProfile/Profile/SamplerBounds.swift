/// The bounds beyond which the figures of an audit cause a warning.
///
/// `Scripts/bench profiler` has targets for a free CPU. Most bounds are twice as wide, because
/// users ignore a warning that every run on a shared machine gives. Figures beyond them have other
/// causes: no free CPU for the sampler, very many threads or deep stacks.
enum SamplerBounds {
  /// The smallest share of the requested ticks: the bench's targets, 99 % at 1 kHz and 95 % at 10
  /// kHz.
  static func rateReached(atRate rate: Double) -> Double { rate <= 2000 ? 0.99 : 0.95 }

  /// The ticks that may be missing from the shortest run: one at either end and one by chance.
  static let ticksToSpare = 3.0

  /// The largest share of late ticks.
  ///
  /// Late ticks sample only after another thread has released the CPU, so a profile with many of
  /// them is biased. The bench has no target; on a free CPU 1 tick in 100 is late.
  static let ticksLate = 0.1

  /// The largest share of a thread's ticks at which it had not taken its signal yet.
  static let ticksMerged = 0.02
  /// The largest share of samples in code without a name.
  static let unnamed = 0.05
  /// The largest share of CPU time in files without symbols.
  ///
  /// It is larger, because Debian's libraries contain some hand-written code without symbols.
  static let nameless = 0.2

  /// The number of ticks or samples from which on shares and percentiles are meaningful.
  static let enough = 100

  /// The smallest share of a program's CPU time that the sampled threads must account for.
  static let coverage = 0.9

  /// The smallest share of the CPU time of child processes that the sampled threads must account
  /// for.
  ///
  /// A child runs for one to two milliseconds before it is known, and most children live for about
  /// ten.
  static let childrenCoverage = 0.75

  /// The CPU time in nanoseconds that each launch may lack: the kernel's and the loader's at its
  /// start.
  static let unsampled: UInt64 = 50_000_000

  /// The largest median of handler times in nanoseconds, for copies of at most 16 KiB without
  /// awaiting callers; the target is 1,500.
  static let handlerP50 = 3000.0

  /// The largest 99th percentile of handler times in nanoseconds; the target is 5,000.
  static let handlerP99 = 10_000.0

  /// The largest share of a core that the ticker may use.
  ///
  /// The target is 5 % at 1 kHz with 60 idle threads, at which the bench machine used 8 %; so the
  /// bound is 10 %. Beyond 2 kHz it grows with the rate because each tick costs the same.
  static func ticker(atRate rate: Double) -> Double { max(0.1, 0.05 * rate / 1000) }

  /// The largest share that handlers and signals may add to the CPU time of the sampled threads.
  ///
  /// These are the bench's targets with both CPUs busy: 5 % at 1 kHz, and 12 % at 10 kHz plus a
  /// quarter.
  static func overhead(atRate rate: Double) -> Double { rate <= 2000 ? 0.05 : 0.15 }
}
