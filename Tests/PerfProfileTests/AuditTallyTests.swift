import CPerfFormat
import Foundation
import PerfModel
import Testing

@testable import PerfProfile

/// The warnings in the audit of a profile.
struct AuditTallyTests {
  /// Returns the audit of ten seconds at a rate.
  private func audit(
    rate: UInt64 = 1000, handler: UInt32 = 600, slowest: UInt32 = 2000, stackBytes: Int = 16 << 10,
    awaiting: UInt16 = 0, signalCost: Double? = nil, samples sampleCount: Int = 500,
    isAttached: Bool = true, signal: Int32 = SIGPROF, until end: UInt64 = .max,
    change: (inout AgentAudit) -> Void = { _ in }
  ) -> ProfileAudit {
    var capture = Capture()
    capture.agentVersion = isAttached ? 1 : 0
    capture.interval = 1_000_000_000 / rate
    capture.stackBytes = stackBytes
    capture.ringCount = 56
    capture.signal = signal
    capture.audit.ticks = rate * 10
    capture.audit.sampling_began_ns = 1
    capture.audit.sampling_ended_ns = 10_000_000_001
    capture.audit.ticker_cpu_ns = 200_000_000
    change(&capture.audit)
    let samples = (0..<sampleCount).map { index in
      WalkedSample(
        time: UInt64(index), tick: 0, cpu: 0, node: 0, serial: 1, phase: 0, signpost: 0, frame: 0,
        // Five of a hundred are slow, including the 99th percentile.
        handler: index % 20 == 0 ? slowest : handler, awaiting: awaiting,
        isWaiting: false, end: .complete)
    }
    var tally = AuditTally(
      signalCost: signalCost.map {
        .success(SignalCost(median: $0, middleHalf: ($0 * 0.75)...($0 * 1.5)))
      })
    tally.add(capture, samples, isChild: false, until: end, cpu: 5_000_000_000)
    return tally.audit(cpusBusy: nil, warnings: [])
  }

  /// Returns the warnings of a launch whose sampled threads and children used some milliseconds of
  /// CPU time.
  private func coverage(
    spent: UInt64, sampled: UInt64, children: UInt64 = 0, sampledOfChildren: UInt64? = nil
  ) -> [String] {
    warnings(
      spent: spent, sampled: sampled, children: children, sampledOfChildren: sampledOfChildren
    ).map(\.code)
  }

  private func warnings(
    spent: UInt64, sampled: UInt64, children: UInt64 = 0, sampledOfChildren: UInt64? = nil,
    engine: SamplingEngine = .signal
  ) -> [RunWarning] {
    var capture = Capture()
    capture.engine = engine
    capture.agentVersion = 1
    capture.interval = 1_000_000
    capture.audit.ticks = 1000
    capture.audit.sampling_began_ns = 1
    capture.audit.sampling_ended_ns = 1_000_000_001
    let sample = WalkedSample(
      time: 1, tick: 0, cpu: 0, node: 0, serial: 1, phase: 0, signpost: 0, frame: 0, handler: 600,
      isWaiting: false, end: .complete)
    var tally = AuditTally(signalCost: nil)
    tally.add(
      capture, [sample], isChild: false, cpu: sampled * 1_000_000, spent: spent * 1_000_000)
    if let sampledOfChildren {
      tally.add(capture, [sample], isChild: true, cpu: sampledOfChildren * 1_000_000)
    }
    tally.addChildren(spent: children * 1_000_000, areFollowed: sampledOfChildren != nil)
    return tally.audit(cpusBusy: nil, warnings: []).warnings
  }

  @Test func `unsampled CPU time causes a warning, except for the start of a program`() {
    #expect(coverage(spent: 1000, sampled: 910) == [])
    #expect(coverage(spent: 1000, sampled: 890) == ["sampler.coverage"])
    #expect(coverage(spent: 50, sampled: 0) == [])
    #expect(coverage(spent: 60, sampled: 0) == ["sampler.coverage"])
    // The clocks are read at different times, so more than all may be sampled.
    #expect(coverage(spent: 100, sampled: 200) == [])
  }

  @Test(
    arguments: [
      (.signal, "Leave a CPU free"), (.perf, "A thread that starts a process"),
    ] as [(SamplingEngine, String)])
  func `the remedy for unsampled CPU time is that of the engine`(
    engine: SamplingEngine, remedy: String
  ) throws {
    let warning = try #require(warnings(spent: 1000, sampled: 10, engine: engine).first)
    #expect(warning.code == "sampler.coverage")
    #expect(warning.remedy.hasPrefix(remedy))
  }

  @Test func `children with much unsampled CPU time cause a warning`() {
    #expect(coverage(spent: 900, sampled: 900, children: 250) == [])
    #expect(coverage(spent: 700, sampled: 700, children: 300) == ["sampler.children"])
    #expect(coverage(spent: 10, sampled: 10, children: 40) == [])
    #expect(coverage(spent: 10, sampled: 10, children: 1000, sampledOfChildren: 760) == [])
    #expect(
      coverage(spent: 10, sampled: 10, children: 1000, sampledOfChildren: 740)
        == ["sampler.children"])
  }

  @Test func `counters that were left out cause one warning, and no other warning guesses`() {
    var capture = Capture()
    capture.agentVersion = 1
    capture.interval = 1_000_000
    capture.isOverwritten = true
    var tally = AuditTally(signalCost: nil)
    tally.add(capture, [], isChild: false, cpu: 0, spent: 5_000_000_000)
    let audit = tally.audit(cpusBusy: nil, warnings: [])
    #expect(codes(audit) == ["sampler.overwritten"])
    #expect(audit.ticks == 0 && audit.rateReached == 0)
  }

  @Test func `a ticker without an end counts as running until the end of the process`() {
    // 10,000 ticks were due in ten seconds, and the ticker made those of the first second.
    let audit = audit(until: 10_000_000_001) {
      $0.ticks = 1000
      $0.sampling_ended_ns = 0
    }
    #expect(codes(audit) == ["sampler.rate_low"])
    #expect(audit.rateReached == 100)
    // If the process executed another program, the duration is unknown.
    let left = self.audit(until: 10_000_000_001) {
      $0.ticks = 1000
      $0.sampling_ended_ns = 0
      $0.ticker_cpu_ns = 0
      $0.left = 1
    }
    #expect(codes(left) == ["sampler.left"])
    #expect(left.rateReached == 1000)
  }

  @Test(arguments: [(1, []), (3, ["sampler.merged"])] as [(UInt16, [String])])
  func `ticks that waited for the end of a system call cause a warning from 2 percent on`(
    merged: UInt16, expected: [String]
  ) {
    var capture = Capture()
    capture.threads = [
      .init(serial: 1, id: 1, name: "main", started: 0, startCPU: 0, ended: nil, endCPU: nil)
    ]
    // 99 of 100 samples stand for their own tick, and one stands for some more.
    let samples = (0..<100).map { index in
      WalkedSample(
        time: UInt64(index), tick: 0, cpu: 0, node: 0, serial: 1, phase: 0, signpost: 0, frame: 0,
        handler: 600, merged: index == 7 ? merged : 0, isWaiting: false, end: .complete)
    }
    var tally = AuditTally(signalCost: nil)
    tally.add(capture, samples, isChild: false, cpu: 5_000_000_000)
    let audit = tally.audit(cpusBusy: nil, warnings: [])
    #expect(codes(audit) == expected)
    if let warning = audit.warnings.first {
      #expect(warning.message.hasPrefix("2.913% of the ticks of thread 'main' came during"))
    }
  }

  private func codes(_ audit: ProfileAudit) -> [String] { audit.warnings.map(\.code) }

  @Test func `a good run has no warnings`() {
    #expect(codes(audit()) == [])
    #expect(codes(audit(rate: 10_000)) == [])
  }

  @Test func `the rate may be 1 % low at 1 kHz and 5 % low at 10 kHz`() {
    func reached(_ rate: UInt64, _ share: Double) -> [String] {
      codes(audit(rate: rate) { $0.ticks = UInt64(Double(rate) * 10 * share) })
    }
    #expect(reached(1000, 0.992) == [])
    #expect(reached(1000, 0.985) == ["sampler.rate_low"])
    #expect(reached(10_000, 0.955) == [])
    #expect(reached(10_000, 0.945) == ["sampler.rate_low"])
    // 3 of 20 ticks are missing at the ends of 20 ms.
    let short = audit {
      $0.ticks = 17
      $0.sampling_ended_ns = 20_000_001
      $0.ticker_cpu_ns = 0
    }
    #expect(codes(short) == [])
  }

  @Test(arguments: [(0, false), (3, false), (800, true)] as [(UInt64, Bool)])
  func `missed ticks are explained by forks as well, with the engine that samples them`(
    missed: UInt64, namesForks: Bool
  ) throws {
    // 9,000 of 10,000 ticks.
    let audit = audit {
      $0.ticks = 9000
      $0.ticks_missed = missed
    }
    #expect(codes(audit) == ["sampler.rate_low"])
    let remedy = try #require(audit.warnings.first?.remedy)
    #expect(remedy.hasPrefix("Leave a CPU free for the sampler"))
    #expect(remedy.contains("forks often") == namesForks)
    #expect(remedy.contains("--engine perf") == namesForks)
  }

  @Test func `late ticks, slow handlers and a busy ticker cause warnings`() {
    #expect(codes(audit { $0.ticks_late = 900 }) == [])
    #expect(codes(audit { $0.ticks_late = 1100 }) == ["sampler.late"])
    #expect(codes(audit(handler: 3100)) == ["sampler.handler_slow"])
    #expect(codes(audit(slowest: 10_100)) == ["sampler.handler_slow"])
    // A stack copy of four times the size may take four times as long.
    #expect(codes(audit(handler: 3100, slowest: 10_100, stackBytes: 64 << 10)) == [])
    // Reading awaiting callers takes time.
    #expect(codes(audit(handler: 5000, awaiting: 3)) == [])
    // 11 % of a core; at 10 kHz up to 50 %.
    #expect(codes(audit { $0.ticker_cpu_ns = 1_100_000_000 }) == ["sampler.ticker"])
    #expect(codes(audit(rate: 10_000) { $0.ticker_cpu_ns = 4_900_000_000 }) == [])
    #expect(codes(audit(rate: 10_000) { $0.ticker_cpu_ns = 5_100_000_000 }) == ["sampler.ticker"])
  }

  @Test func `the overhead is the time of handlers plus the measured cost of signals`() throws {
    // 475 of 600 ns and 25 of 2,000 ns in 5 s.
    let handling = 475 * 600.0 + 25 * 2000
    #expect(try #require(audit().overhead) == handling / 5e9)
    let whole = audit(signalCost: 10_000)
    #expect(whole.signalCost == 10_000)
    #expect(try #require(whole.overhead) == (handling + 500 * 10_000) / 5e9)
    #expect(whole.signalCostLow == 7500 && whole.signalCostHigh == 15_000)
    #expect(try #require(whole.overheadLow) == (handling + 500 * 7500) / 5e9)
    #expect(try #require(whole.overheadHigh) == (handling + 500 * 15_000) / 5e9)
    // 500 signals of 600 us in 5 s are 6 %.
    #expect(codes(audit(signalCost: 600_000)) == ["sampler.overhead"])
    #expect(codes(audit(rate: 10_000, signalCost: 600_000)) == [])
  }

  @Test func `the warning about threads without a ring names the number of rings`() {
    let full = audit { $0.thread_slots_full = 3 }
    #expect(
      full.warnings.first?.message == "3 threads were not sampled: there is room for 55 at once")
    let one = audit { $0.thread_slots_full = 1 }
    #expect(
      one.warnings.first?.message == "1 thread was not sampled: there is room for 55 at once")
  }

  @Test func `a warning names what kept the sampler out, and no other warning guesses`() {
    #expect(codes(audit(samples: 0)) == ["sampler.empty"])
    #expect(codes(audit(samples: 0, isAttached: false)) == ["sampler.absent"])
    #expect(codes(audit(samples: 0) { $0.left = 1 }) == ["sampler.left"])
    #expect(codes(audit(samples: 0) { $0.states_unread = 2 }) == ["sampler.descriptors"])
    // Each wait is examined once, so the number of signals does not matter.
    #expect(
      codes(
        audit(samples: 500) {
          $0.states_unread = 1
          $0.signals_sent = 500
        }
      ).contains("sampler.descriptors"))
    let ticker = audit(samples: 0) { $0.ticker_failed = UInt64(EAGAIN) }
    #expect(codes(ticker) == ["sampler.no_ticker"])
    #expect(
      ticker.warnings.first?.message
        == "cannot start the sampler's thread: Resource temporarily unavailable")
    // The system's text for EINVAL would not explain this.
    let inside = audit { $0.ticker_failed = UInt64(EINVAL) }
    #expect(inside.warnings.first?.message.contains("entered a namespace") == true)
    // A profile that was sampled until then is incomplete too.
    #expect(codes(audit { $0.left = 1 }) == ["sampler.left"])
  }

  @Test(arguments: [
    (SIGPROF, "RTMIN+3"), (SIGUSR2, "RTMIN+3"),
    // This is RTMIN+3.
    (37, "RTMAX-3"),
  ])
  func `a warning suggests another signal than the used one`(
    signal: Int32, suggestion: String
  ) throws {
    #expect(try SamplingSignal(suggestion).number != signal)
    let taken = audit(signal: signal) { $0.foreign_handler = 1 }
    #expect(
      taken.warnings.map(\.remedy)
        == ["Use a signal that the program does not use, e.g. --signal \(suggestion)."])
    let blocked = audit(signal: signal) { $0.threads_blocking = 1 }
    #expect(codes(blocked) == ["sampler.blocked"])
    #expect(blocked.warnings.allSatisfy { $0.remedy.contains("--signal \(suggestion).") })
  }

  @Test func `lost records of allocations cause a warning that names their effect`() {
    func audit(dropped: UInt64, untracked: UInt64, interval: UInt64 = 1 << 19) -> ProfileAudit {
      var capture = Capture()
      capture.allocationInterval = interval
      capture.audit.allocations_dropped = dropped
      capture.audit.allocations_untracked = untracked
      var tally = AuditTally(signalCost: nil)
      for _ in 0..<2 { tally.add(capture, [], isChild: false, cpu: 0) }
      return tally.audit(cpusBusy: nil, warnings: [])
    }
    let lost = audit(dropped: 3, untracked: 1)
    #expect(
      lost.warnings.map(\.message) == [
        "8 records of sampled allocations or frees were lost, so the allocations of functions and "
          + "their differences may be biased, and live memory may be overstated"
      ])
    #expect((lost.allocationsLost, lost.allocationsKept) == (6, 0))
    // An allocation whose end is unknown is kept.
    let untracked = audit(dropped: 0, untracked: 1)
    #expect(
      untracked.warnings.map(\.message) == [
        "2 records of sampled allocations or frees were lost, so live memory may be overstated"
      ])
    #expect(untracked.allocationsLost == 0)
    #expect(codes(audit(dropped: 0, untracked: 0)) == [])
    #expect(audit(dropped: 0, untracked: 0, interval: 0).allocationsLost == nil)
  }

  @Test func `equal warnings of several launches are given once`() {
    var capture = Capture()
    capture.warnings = [RunWarning(code: "sampler.spool", message: "full")]
    var tally = AuditTally(signalCost: nil)
    for _ in 0..<3 { tally.add(capture, [], isChild: false, cpu: 0) }
    #expect(codes(tally.audit(cpusBusy: nil, warnings: [])) == ["sampler.spool"])
  }

  @Test func `the audit states why the cost of a signal is unknown`() {
    var tally = AuditTally(signalCost: .failure(.signalInUse))
    tally.add(Capture(), [], isChild: false, cpu: 1)
    let audit = tally.audit(cpusBusy: nil, warnings: [])
    #expect(audit.signalCost == nil && audit.overheadLow == nil)
    #expect(audit.signalCostObstacle == "SIGRTMAX is in use")
  }

  /// Measures until it succeeds, because other tests may keep the CPUs busy.
  private static func measuredCost() throws(SignalCost.Obstacle) -> SignalCost {
    for _ in 0..<100 {
      do {
        return try SignalCost.measure()
      } catch .busy {}
    }
    throw .busy
  }

  @Test func `a signal costs more than nothing and less than a tick`() throws {
    let cost = try Self.measuredCost()
    #expect(cost.middleHalf.lowerBound > 0 && cost.middleHalf.upperBound < 1_000_000)
    #expect(cost.middleHalf.contains(cost.median))
  }

  @Test func `the cost of a signal can be measured while all CPUs are busy`() throws {
    // Twice as many processes as CPUs, with a CPU limit in case they are not killed. They inherit
    // the blocked signals of the test's thread, so SIGKILL must end them.
    let busy = try (0..<(2 * ProcessInfo.processInfo.activeProcessorCount)).map { _ in
      try Process.run(
        URL(fileURLWithPath: "/bin/sh"),
        arguments: ["-c", "ulimit -t 20; while :; do :; done"])
    }
    defer {
      for process in busy {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
    }
    let cost = try Self.measuredCost()
    #expect(cost.median > 100 && cost.median < 1_000_000)
  }
}
