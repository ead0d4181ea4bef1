internal import CLinux
internal import Glibc
public import PerfModel

extension SamplingEngine {
  /// The largest rate in Hz at which the kernel copies deep stacks by default: a copy takes up to 10 us.
  private static let fastest = 2000

  /// Returns the largest number of stack bytes that a sample copies by default.
  public func defaultStackBytes(rate: Int) -> Int {
    self == .perf && rate <= Self.fastest ? 64 << 10 : CaptureConfiguration.defaultStackBytes
  }
}

/// The settings of sampling by the kernel.
public struct EventSettings: Hashable, Sendable {
  /// The most stack bytes of a sample: a record has at most 64 KiB, which include the registers and the
  /// kernel's chain.
  static let mostStackBytes = 60 << 10

  /// Nanoseconds of CPU time between two samples of a thread.
  public var interval: UInt64
  /// The largest number of stack bytes that a sample copies; a multiple of 8, below 65,536.
  public var stackBytes: Int
  /// Whether time in the kernel is sampled, with the kernel's functions.
  public var samplesKernel: Bool
  /// Whether waits are sampled, which needs the right to sample the kernel.
  public var samplesWaits: Bool
  /// Bytes of the ring of each CPU; a power of two.
  public var ringBytes: Int

  /// Creates settings; the defaults sample at 1 kHz.
  public init(
    interval: UInt64 = 1_000_000, stackBytes: Int = CaptureConfiguration.defaultStackBytes,
    samplesKernel: Bool = true, samplesWaits: Bool = true, ringBytes: Int = 4 << 20
  ) {
    self.interval = interval
    self.stackBytes = min(stackBytes, Self.mostStackBytes)
    self.samplesKernel = samplesKernel
    self.samplesWaits = samplesWaits && samplesKernel
    self.ringBytes = ringBytes
  }

  /// Returns the settings of the event that samples CPU time, or every so many switches.
  func event(beginsAtExec: Bool, switchPeriod: UInt32 = 0) -> clinux_event_settings {
    clinux_event_settings(
      interval_ns: interval, stack_bytes: UInt32(stackBytes), samples_kernel: samplesKernel,
      switch_period: switchPeriod, records_switches: samplesWaits && switchPeriod == 0,
      begins_at_exec: beginsAtExec)
  }
}

/// The reason why the kernel does not sample.
public struct EventObstacle: Error, Hashable, CustomStringConvertible {
  /// The error number of perf_event_open(2) or mmap(2).
  public let errno: Int32
  /// `/proc/sys/kernel/perf_event_paranoid`; nil if it cannot be read.
  public let paranoid: Int?

  init(errno: Int32) {
    self.init(
      errno: errno,
      paranoid: textLines(of: "/proc/sys/kernel/perf_event_paranoid").first.flatMap { Int($0) })
  }

  init(errno: Int32, paranoid: Int?) { (self.errno, self.paranoid) = (errno, paranoid) }

  /// The reason with what to set, as sentences.
  public var description: String {
    switch errno {
    // The setting causes EACCES. Seccomp profiles of containers cause EPERM, whatever the setting.
    case EACCES where (paranoid ?? 0) > 1:
      return
        "the kernel does not let this user sample its own code: perf_event_paranoid is "
        + "\(paranoid ?? 0). Set it to 1 (sysctl kernel.perf_event_paranoid=1), or give the "
        + "capability CAP_PERFMON."
    case EACCES, EPERM:
      return
        "the kernel does not let this user sample (perf_event_open: \(text)). In a container, add the "
        + "capability CAP_PERFMON and allow perf_event_open in the seccomp profile."
    case ENOSYS, ENOENT, EOPNOTSUPP:
      return "this kernel has no perf_event_open for the clock of a task (\(text))."
    case EMFILE, ENFILE:
      return
        "there are too few file descriptors (\(text)). Raise the limit of open files (ulimit -n)."
    case ENOMEM:
      return "there is too little memory for the rings (\(text)). Raise kernel.perf_event_mlock_kb."
    default: return "perf_event_open failed: \(text)."
    }
  }

  private var text: String { systemMessage(errno) }
}
