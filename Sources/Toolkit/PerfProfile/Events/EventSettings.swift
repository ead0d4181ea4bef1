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

  /// The least bytes to which a ring is reduced: the kernel's default limit of 516 KiB for each CPU has
  /// room for three such rings.
  static let leastRingBytes = 128 << 10

  /// Nanoseconds of CPU time between two samples of a thread.
  public var interval: UInt64
  /// The largest number of stack bytes that a sample copies; a multiple of 8, below 65,536.
  public var stackBytes: Int
  /// Whether time in the kernel is sampled, with the kernel's functions.
  public var samplesKernel: Bool
  /// Whether waits are sampled, which needs the right to sample the kernel.
  public var samplesWaits: Bool
  /// Bytes of the ring of each CPU; a power of two.
  ///
  /// The rings are smaller if this user may not lock so much memory.
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

  /// The same settings without the kernel's code and without waits.
  public var ofUserCode: EventSettings {
    var settings = self
    (settings.samplesKernel, settings.samplesWaits) = (false, false)
    return settings
  }

  /// The sizes of a ring in bytes, in the order in which they are tried.
  var ringSizes: [Int] {
    var sizes = [ringBytes]
    while let last = sizes.last, last / 2 >= Self.leastRingBytes { sizes.append(last / 2) }
    return sizes
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
  /// Whether mmap(2) of a ring failed: the user may sample, but not lock the memory of the rings.
  public let isOfRing: Bool

  init(errno: Int32, isOfRing: Bool = false) {
    self.init(
      errno: errno,
      paranoid: textLines(of: "/proc/sys/kernel/perf_event_paranoid").first.flatMap { Int($0) },
      isOfRing: isOfRing)
  }

  init(errno: Int32, paranoid: Int?, isOfRing: Bool = false) {
    (self.errno, self.paranoid, self.isOfRing) = (errno, paranoid, isOfRing)
  }

  /// Whether the kernel refuses only its own code to this user, by perf_event_paranoid 2.
  public var leavesUserCode: Bool { errno == EACCES && paranoid == 2 && !isOfRing }

  /// The setting and the capability that let a user sample the kernel, as the end of a sentence.
  static let kernelRemedy =
    "to 1 (sysctl kernel.perf_event_paranoid=1), or give the capability CAP_PERFMON."

  /// The settings that let a user lock more memory for rings, as a sentence.
  static let memoryRemedy =
    "Raise the memory that a user may lock: sysctl kernel.perf_event_mlock_kb=8192 (KiB for each CPU), "
    + "or ulimit -l (KiB). Or give the capability CAP_IPC_LOCK."

  /// The reason with what to set, as sentences.
  public var description: String {
    switch errno {
    case EPERM where isOfRing, ENOMEM where isOfRing:
      return
        "the kernel does not let this user lock memory for the rings of the CPUs (mmap: \(text)). "
        + Self.memoryRemedy
    // The setting causes EACCES. Seccomp profiles of containers cause EPERM, whatever the setting.
    case EACCES where (paranoid ?? 0) > 1:
      return
        "the kernel does not let this user sample its own code: perf_event_paranoid is "
        + "\(paranoid ?? 0). Set it \(Self.kernelRemedy)"
    case EACCES, EPERM:
      return
        "the kernel does not let this user sample (perf_event_open: \(text)). In a container, add the "
        + "capability CAP_PERFMON and allow perf_event_open in the seccomp profile."
    case ENOSYS, ENOENT, EOPNOTSUPP:
      return "this kernel has no perf_event_open for the clock of a task (\(text))."
    case EMFILE, ENFILE:
      return
        "there are too few file descriptors (\(text)). Raise the limit of open files (ulimit -n)."
    default: return "\(isOfRing ? "mmap of a ring" : "perf_event_open") failed: \(text)."
    }
  }

  private var text: String { systemMessage(errno) }
}
