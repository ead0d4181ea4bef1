internal import PerfModel

extension AuditTally {
  /// Returns the warnings about missing, lost and incomplete samples.
  func completenessWarnings(_ audit: ProfileAudit) -> [RunWarning] {
    var warn = SamplerWarnings()
    if isOverwritten { warn.all.append(SegmentCounters.overwritten) }
    if interval > 0 { warn.all += absenceWarnings() }
    // An absent sampler already explains missing CPU time.
    if interval > 0, warn.all.isEmpty { warn.all += coverageWarnings() }
    if audit.samples == 0 && interval > 0 && warn.all.isEmpty {
      warn(
        "empty", "no sample was taken: no thread used the CPU at any tick",
        "Give the program more work or choose a higher rate.")
    }
    let asked = audit.rateAsked * audit.seconds
    if audit.samples > 0, engine == .signal,
      Double(audit.ticks) + SamplerBounds.ticksToSpare
        < SamplerBounds.rateReached(atRate: audit.rateAsked) * asked
    {
      warn(
        "rate_low",
        "the sampler made \(Int(audit.rateReached)) of \(Int(audit.rateAsked)) ticks per second",
        "Leave a CPU free for the sampler or choose a lower rate."
          + (Double(audit.ticksMissed) > SamplerBounds.ticksToSpare
            ? " If the program forks often or makes other long system calls, they can delay the "
              + "sampler and move time to the code after them: sample such a command with "
              + "--engine perf."
            : ""))
    }
    if audit.dropped > 0 {
      warn(
        "dropped",
        "\(Self.count(audit.dropped, "sample was", "samples were")) dropped for lack of room",
        "Choose a lower rate.")
    }
    warnOfIncompleteStacks(audit, &warn)
    warnOfUnnamedCode(audit, &warn)
    warnOfSignals(audit, &warn)
    warnOfAllocations(&warn)
    if threadsWithoutRing > 0 {
      warn(
        "threads",
        "\(Self.count(threadsWithoutRing, "thread was", "threads were")) not sampled: "
          + "there is room for \(mostThreads) at once",
        "Run fewer threads, or read the profile as one of the other threads.")
    }
    if audit.garbage > 0 {
      warn(
        "garbage",
        "\(Self.count(audit.garbage, "invalid record was", "invalid records were")) skipped",
        "The program may write to memory that it does not own. Look for memory errors, "
          + "e.g. with -fsanitize=address.")
    }
    return warn.all
  }

  private static func count(_ number: Int, _ one: String, _ several: String) -> String {
    "\(number) \(number == 1 ? one : several)"
  }

  private func warnOfIncompleteStacks(_ audit: ProfileAudit, _ warn: inout SamplerWarnings) {
    guard (audit.truncated + audit.failed) * 100 > audit.samples else { return }
    let reasons = audit.failures.merging(
      audit.truncated > 0 ? ["truncated": audit.truncated] : [:], uniquingKeysWith: +)
    let list = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    warn(
      "incomplete",
      "\(audit.truncated + audit.failed) of \(audit.samples) stacks lack their outermost frames "
        + "(\(list))",
      audit.truncated > audit.failed
        ? (stackBytes < EventSettings.mostStackBytes
          ? "Copy more of each stack, e.g. --stack-size 64, or build with -fno-omit-frame-pointer."
          : "Build with -fno-omit-frame-pointer: the largest part of each stack was copied.")
        : "Build the program with unwind tables or frame pointers. Java has the option "
          + "-XX:+PreserveFramePointer.")
  }

  private func warnOfUnnamedCode(_ audit: ProfileAudit, _ warn: inout SamplerWarnings) {
    let share = Double(unnamed) / Double(max(audit.samples, 1))
    guard share > SamplerBounds.unnamed else { return }
    warn(
      "unnamed",
      "\(NumberFormat.human(share, .ratio)) of the samples are in code without a file and a name, such as "
        + "that of a JIT compiler",
      (engine == .signal ? "Use --engine perf, which sees each mapped file. " : "")
        + "Let a JIT compiler write a map of its code: node --perf-basic-prof, java "
        + "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, python3 -X perf.")
  }

  private func warnOfSignals(_ audit: ProfileAudit, _ warn: inout SamplerWarnings) {
    if audit.threadsBlocking > 0 {
      warn(
        "blocked", "\(audit.threadsBlocking) threads block the sampling signal or wait for it",
        "Use a signal that the threads do not use, e.g. --signal "
          + SamplingSignal.alternative(to: signal) + ".")
    }
    if ioWorkers > 0 {
      warn(
        "io_workers",
        "\(ioWorkers) threads of io_uring work in the kernel and take no signals: their CPU time has no "
          + "samples",
        "Use --engine perf, which samples them.")
    }
    if mostMerged.share > SamplerBounds.ticksMerged {
      warn(
        "merged",
        "\(NumberFormat.human(mostMerged.share, .ratio)) of the ticks of thread '\(mostMerged.thread)' "
          + "came during system calls that end before the thread takes its signal; each call has one "
          + "stack with the weight of all its ticks",
        "Read the system call as one place: what it does in the kernel is not divided further.")
    }
    if audit.signalsFailed > 0 {
      warn(
        "refused", "the system refused to send \(audit.signalsFailed) sampling signals",
        "A sandbox may forbid them: profile the program outside of it.")
    }
    if hasForeignHandler {
      warn(
        "handler", "the program installed its own handler for the sampling signal",
        "Use a signal that the program does not use, e.g. --signal "
          + SamplingSignal.alternative(to: signal) + ".")
    }
    for stop in SamplingStop.allCases where stops.contains(stop) {
      let (code, message, remedy) = stop.warning
      warn(code, message, remedy)
    }
  }

  private func warnOfAllocations(_ warn: inout SamplerWarnings) {
    let lost = allocationsDropped.addingClamped(UInt64(allocationsUntracked))
    if lost > 0 {
      // An allocation without a known end is charged to its function like any other.
      warn(
        "allocations",
        "\(lost) records of sampled allocations or frees were lost, so "
          + (allocationsDropped > 0
            ? "the allocations of functions and their differences may be biased, and " : "")
          + "live memory may be overstated",
        "Leave a CPU free, or make the program allocate less.")
    }
    if seesNoAllocation {
      warn(
        "no_allocations",
        "no allocation was seen: the program makes none, or its allocator is linked into it "
          + "and cannot be observed",
        "Build the program with the system's allocator, or with one in a shared library.")
    }
  }
}

/// Warnings of the sampler, collected one by one.
struct SamplerWarnings {
  var all: [RunWarning] = []

  /// Adds a warning with the code `sampler.<code>`.
  mutating func callAsFunction(_ code: String, _ message: String, _ remedy: String) {
    all.append(RunWarning(code: "sampler.\(code)", message: message, remedy: remedy))
  }
}
