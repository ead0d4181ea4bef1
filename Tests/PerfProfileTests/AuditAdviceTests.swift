import CPerfFormat
import PerfModel
import Testing

@testable import PerfProfile

/// The remedies of the warnings in the audit of a profile.
struct AuditAdviceTests {
  /// Returns the audit of a process with one sample in a second at 1 kHz.
  private func audit(
    end: StackEnd = .complete, isUnnamed: Bool = false, change: (inout Capture) -> Void
  ) -> ProfileAudit {
    var capture = Capture()
    capture.agentVersion = 1
    capture.interval = 1_000_000
    capture.audit.ticks = 1000
    (capture.audit.sampling_began_ns, capture.audit.sampling_ended_ns) = (1, 1_000_000_001)
    change(&capture)
    let sample = WalkedSample(
      time: 1, tick: 0, cpu: 0, node: 0, serial: 1, phase: 0, signpost: 0, frame: 0, handler: 600,
      isWaiting: false, isUnnamed: isUnnamed, end: end)
    var tally = AuditTally(signalCost: nil)
    tally.add(capture, [sample], isChild: false, cpu: 1_000_000)
    return tally.audit(cpusBusy: nil, warnings: [])
  }

  @Test(
    arguments: [
      (1, ["sampler.io_workers"]), (2, ["sampler.blocked", "sampler.io_workers"]), (0, []),
    ] as [(UInt64, [String])])
  func `threads of io_uring are not blamed for blocking the signal`(
    blocking: UInt64, expected: [String]
  ) {
    let audit = audit { capture in
      capture.audit.threads_blocking = blocking
      capture.threads = ["copy", "iou-wrk-4711"].enumerated().map { place, name in
        Capture.Thread(serial: place + 1, id: Int32(place + 1), name: name, started: 1, startCPU: 0)
      }
    }
    #expect(audit.warnings.map(\.code) == expected)
  }

  @Test func `records that were lost in a full ring cause a warning with their number`() {
    let audit = audit { capture in
      capture.engine = .perf
      capture.samplesDropped = 12
    }
    #expect(audit.dropped == 12)
    let warning = audit.warnings.first { $0.code == "sampler.dropped" }
    #expect(warning?.message == "12 samples were dropped for lack of room")
  }

  @Test func `advice on truncated stacks names a larger copy only where there is one`() {
    func remedy(_ engine: SamplingEngine, stackBytes: Int) -> String {
      let audit = audit(end: .truncated) { capture in
        (capture.engine, capture.stackBytes) = (engine, stackBytes)
      }
      return audit.warnings.first { $0.code == "sampler.incomplete" }?.remedy ?? ""
    }
    #expect(remedy(.signal, stackBytes: 16 << 10).contains("--stack-size 64"))
    #expect(remedy(.perf, stackBytes: 16 << 10).contains("--stack-size 64"))
    // The most that the kernel copies, which is also the default.
    for bytes in [EventSettings.mostStackBytes, 64 << 10] {
      let advice = remedy(.perf, stackBytes: bytes)
      #expect(advice.contains("-fno-omit-frame-pointer") && !advice.contains("--stack-size"))
    }
  }

  @Test(arguments: [SamplingEngine.signal, .perf])
  func `code of a JIT compiler without a map causes a warning with the options that write one`(
    engine: SamplingEngine
  ) throws {
    func warning(isUnnamed: Bool) -> RunWarning? {
      audit(isUnnamed: isUnnamed) { $0.engine = engine }.warnings
        .first { $0.code == "sampler.unnamed" }
    }
    #expect(warning(isUnnamed: false) == nil)
    let found = try #require(warning(isUnnamed: true))
    #expect(found.message.contains("code without a file and a name, such as that of a JIT"))
    for option in ["node --perf-basic-prof", "-XX:+DumpPerfMapAtExit", "python3 -X perf"] {
      #expect(found.remedy.contains(option))
    }
    // The agent also misses the names of files that the loader has in another namespace.
    #expect(found.remedy.contains("--engine perf") == (engine == .signal))
  }
}
