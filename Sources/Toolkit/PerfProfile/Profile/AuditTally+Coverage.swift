internal import Glibc
internal import PerfModel

extension AuditTally {
  /// Returns the warnings that explain why the agent could not sample, or not until the end.
  func absenceWarnings() -> [RunWarning] {
    var warn = SamplerWarnings()
    if isAbsent {
      warn(
        "absent", "the program started without the agent",
        "Keep LD_PRELOAD and PERFKIT_* in its environment, and leave memory and descriptors for "
          + "the samples (ulimit -v and -n).")
    }
    if hasLeft {
      warn(
        "left", "the process executed another program, which runs without the agent",
        "Pass the environment on (no env -i) and allow more memory (ulimit -v). Static and setuid "
          + "programs need --engine perf.")
    }
    if tickerFailure == EINVAL {
      warn(
        "no_ticker",
        "sampling ended when the program entered a namespace: its children get new process ids, "
          + "and the system then allows the program no other thread",
        "Sample its children with --follow.")
    } else if tickerFailure != 0 {
      warn(
        "no_ticker", "cannot start the sampler's thread: \(systemMessage(tickerFailure))",
        "Allow the program one more thread and 256 KiB more memory "
          + "(ulimit -u, ulimit -v, the cgroup's pids.max).")
    }
    // Each wait is examined once.
    let waits = UInt64(audit.waits).addingClamped(statesUnread)
    if statesUnread > 0, audit.samples == 0 || statesUnread > waits / 100 {
      warn(
        "descriptors",
        "\(statesUnread) of \(waits) waiting threads could not be examined: "
          + "the program's limit of open files is too low",
        "Raise its limit of open files (ulimit -n).")
    }
    return warn.all
  }

  /// Returns the warnings about CPU time that was spent but not sampled.
  func coverageWarnings() -> [RunWarning] {
    var warn = SamplerWarnings()
    // The CPU time contains that in the kernel.
    if samplesKernel, coverage.isBelow(SamplerBounds.coverage) {
      warn(
        "coverage",
        "the sampled threads account for \(time(coverage.sampled)) of the \(time(coverage.spent)) "
          + "of CPU time that the program used",
        engine == .perf
          ? "A thread that starts a process within each interval of sampling has no sample: choose a "
            + "higher rate, or --engine signal."
          : "Leave a CPU free for the sampler and run fewer threads: the profile says nothing about "
            + "the missing time.")
    }
    let all = coverage.spent.addingClamped(childrenCoverage.spent)
    if followsChildren, samplesKernel,
      childrenCoverage.isBelow(SamplerBounds.childrenCoverage)
    {
      warn(
        "children",
        "the sampled threads account for \(time(childrenCoverage.sampled)) of the "
          + "\(time(childrenCoverage.spent)) of CPU time that the child processes used",
        engine == .perf
          ? "The kernel does not sample programs with the rights of another user: run perfkit as root."
          : "Static and setuid programs need --engine perf.")
    } else if !followsChildren, childrenCoverage.isBelow(SamplerBounds.childrenCoverage),
      Double(childrenCoverage.spent) > (1 - SamplerBounds.childrenCoverage) * Double(all)
    {
      let share = NumberFormat.human(Double(childrenCoverage.spent) / Double(all), .ratio)
      warn(
        "children",
        "child processes used \(share) of the CPU time and were not sampled",
        "Sample them too: perfkit record --follow.")
    }
    return warn.all
  }

  private func time(_ nanoseconds: UInt64) -> String {
    NumberFormat.human(Double(nanoseconds), .time)
  }
}

/// CPU time of processes and the part of it that was sampled, in nanoseconds.
struct SampledShare {
  var spent: UInt64 = 0
  var sampled: UInt64 = 0
  private var launches = 0

  mutating func add(spent: UInt64, sampled: UInt64) {
    self.spent = self.spent.addingClamped(spent)
    self.sampled = self.sampled.addingClamped(sampled)
    launches += 1
  }

  /// Returns whether more is missing than a program uses before its threads are known.
  func isBelow(_ share: Double) -> Bool {
    spent > sampled && spent - sampled > SamplerBounds.unsampled * UInt64(launches)
      && Double(sampled) < share * Double(spent)
  }
}
