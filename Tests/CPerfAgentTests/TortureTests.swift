import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Programs that stress the agent, which samples them at 5 kHz.
///
/// Here each runs for a second. `Scripts/torture` sets PERFKIT_TORTURE_SECONDS, and chooses a
/// program by PERFKIT_TORTURE_PROGRAM and a way of sampling by PERFKIT_TORTURE_WAY.
@Suite(.serialized) struct TortureTests {
  static let hasSeconds = getenv("PERFKIT_TORTURE_SECONDS") != nil
  static let seconds =
    getenv("PERFKIT_TORTURE_SECONDS").flatMap { Double(String(cString: $0)) } ?? 1
  static let chosen = getenv("PERFKIT_TORTURE_PROGRAM").map { String(cString: $0) }
  static let chosenWay = getenv("PERFKIT_TORTURE_WAY").map { String(cString: $0) }

  static let programs: [String] = [
    "loader", "births", "forks", "execs", "signals", "exceptions", "recursion", "altstack",
  ].filter { name in
    // altstack uses swapcontext, which these sanitizers do not follow. forks starts a shell, which
    // has no sanitizer. signals leaves computations by jumps out of handlers, which ThreadSanitizer
    // defers.
    let left = ["address": ["altstack", "forks"], "thread": ["altstack", "forks", "signals"]]
    return (chosen.map { $0 == name } ?? true)
      && !left[AgentUnderTest.sanitizer ?? "", default: []].contains(name)
  }

  /// Whether running threads are sampled, and known from their start.
  ///
  /// The runtime of ThreadSanitizer cannot be interrupted everywhere, so the agent sends no
  /// signals, and threads are found by scans. Then the tests check the ticker alone.
  static let areSignalled = AgentUnderTest.sanitizer != "thread"

  /// The way in which a program is sampled.
  enum Way: String, CaseIterable {
    /// By SIGPROF.
    case usual = "SIGPROF"
    /// By another signal.
    case otherSignal = "SIGUSR2"
    /// By SIGPROF, with sampled allocations.
    case allocations = "allocations"

    /// The ways that can be tested.
    static let present = allCases.filter { way in
      (way != .allocations || AgentUnderTest.hasHeap)
        && (chosenWay == nil || chosenWay == way.rawValue)
    }
  }

  @Test(arguments: programs, Way.present)
  func `a sampled program has the same results as it has alone`(_ program: String, way: Way) throws
  {
    let outcome = try TortureRun.run(program, seconds: Self.seconds, way)
    let problems = Self.problems(of: outcome, program)
    let records = outcome.records
    TortureLog(
      program: program, way: way.rawValue, rounds: Int(outcome.rounds ?? 0),
      samples: records.samples, allocations: records.allocations, threads: records.starts,
      lost: records.lost(outcome.audit),
      ticks: TortureLog.Ticks(outcome.audit), problems: problems
    ).write()
    for problem in problems { Issue.record("\(program): \(problem)") }
  }

  /// Returns the errors of a program and its records.
  private static func problems(of outcome: TortureRun.Outcome, _ program: String) -> [String] {
    let records = outcome.records
    let audit = outcome.audit
    var problems = records.problems
    func require(_ condition: Bool, _ problem: @autoclosure () -> String) {
      if !condition { problems.append(problem()) }
    }
    if let hang = outcome.hang { problems.append("it did not end:\n\(hang)") }
    // 0: all of its results were right.
    require(outcome.status == 0, "it ended with status \(outcome.status)")
    require(outcome.rounds ?? 0 > 0, "it reported no rounds")
    require(audit.foreign_handler == 0, "its sampling signal has another handler")
    require(
      records.samples == audit.samples_written,
      "\(records.samples) of \(audit.samples_written) written samples arrived")
    require(records.samples > 0 || !areSignalled, "it has no samples")
    guard records.tickerMarksDropped == 0 else { return problems }
    require(records.areThreadsKnown, "a signalled thread has no start")
    // exec leaves threads without an end. So do a few threads that live to the end of the program
    // if the ticker gets no CPU then.
    require(
      records.ends <= records.starts
        && (program == "execs" || records.ends + 8 >= records.starts),
      "\(records.starts) threads began, \(records.ends) ended")
    // A thread that takes long to end may be found a second time.
    if let threads = outcome.threads, areSignalled {
      require(
        records.starts >= UInt64(threads), "\(records.starts) threads of \(Int(threads)) known")
    }
    return problems
  }

  @Test(.enabled(if: Self.chosen == nil || Self.chosen == "death"))
  func `a program that is killed at any moment leaves complete records`() throws {
    let lives = try TortureRun.killAtRandom(seconds: Self.seconds)
    TortureLog(
      program: "death", way: Way.usual.rawValue, rounds: lives.kills, samples: lives.samples,
      allocations: 0, threads: lives.threads, lost: lives.lost, ticks: lives.ticks,
      problems: lives.problems
    ).write()
    #expect(lives.problems.isEmpty)
  }
}
