import Glibc
import PerfProfile
import Testing

/// Programs that do whatever a program can do, while the agent samples them at 5 kHz.
///
/// Here each has a second. `Scripts/torture` gives them minutes, by PERFKIT_TORTURE_SECONDS, and
/// chooses one by PERFKIT_TORTURE_PROGRAM, and how it is sampled by PERFKIT_TORTURE_WAY.
@Suite(.serialized) struct TortureTests {
  static let hasSeconds = getenv("PERFKIT_TORTURE_SECONDS") != nil
  static let seconds =
    getenv("PERFKIT_TORTURE_SECONDS").flatMap { Double(String(cString: $0)) } ?? 1
  static let chosen = getenv("PERFKIT_TORTURE_PROGRAM").map { String(cString: $0) }
  static let chosenWay = getenv("PERFKIT_TORTURE_WAY").map { String(cString: $0) }

  static let programs: [String] = [
    "loader", "births", "forks", "execs", "signals", "exceptions", "recursion", "altstack",
  ].filter { name in
    // One goes from stack to stack by swapcontext, which these sanitizers do not follow; another starts
    // a shell, which has none and cannot load an agent with one; the third is thrown out of
    // computations by signals, which ThreadSanitizer holds back until they are done.
    let left = ["address": ["altstack", "forks"], "thread": ["altstack", "forks", "signals"]]
    return (chosen.map { $0 == name } ?? true)
      && !left[AgentUnderTest.sanitizer ?? "", default: []].contains(name)
  }

  /// Whether threads are sampled as they run, and known from their birth.
  ///
  /// ThreadSanitizer's runtime cannot be interrupted anywhere, so the agent sends no signals, and threads
  /// are started behind the agent's back; it is the ticker that is checked then.
  static let areSignalled = AgentUnderTest.sanitizer != "thread"

  /// How a program is sampled.
  enum Way: String, CaseIterable {
    /// SIGPROF leaves the masks of threads alone.
    case usual = "SIGPROF"
    /// Any other signal is let through them.
    case otherSignal = "SIGUSR2"
    /// The heap's functions go by way of the agent.
    case allocations = "allocations"

    /// Those that there are.
    static let present = allCases.filter { way in
      (way != .allocations || AgentUnderTest.hasHeap)
        && (chosenWay == nil || chosenWay == way.rawValue)
    }
  }

  @Test(arguments: programs, Way.present)
  func `a program does under torture what it does alone`(_ program: String, way: Way) throws {
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

  /// Returns what a program or its records should not have been.
  private static func problems(of outcome: TortureRun.Outcome, _ program: String) -> [String] {
    let records = outcome.records
    let audit = outcome.audit
    var problems = records.problems
    func require(_ condition: Bool, _ problem: @autoclosure () -> String) {
      if !condition { problems.append(problem()) }
    }
    if let hang = outcome.hang { problems.append("it hangs:\n\(hang)") }
    // 0: all of its answers were right.
    require(outcome.status == 0, "it ended with status \(outcome.status)")
    require(outcome.rounds ?? 0 > 0, "it did nothing")
    require(!audit.hasForeignHandler, "it lost the agent's handler")
    require(
      records.samples == UInt64(audit.samplesWritten),
      "\(records.samples) samples of \(audit.samplesWritten)")
    require(records.samples > 0 || !areSignalled, "it was not sampled")
    guard records.tickerMarksDropped == 0 else { return problems }
    require(records.areThreadsKnown, "a thread was signalled that was not announced")
    // Programs that go on as others leave threads without an end, and so do the few that live to the
    // end of the program when the ticker does not get to run then.
    require(
      records.ends <= records.starts
        && (program == "execs" || records.ends + 8 >= records.starts),
      "\(records.starts) threads began, \(records.ends) ended")
    // One that takes long to die may be met a second time.
    if let threads = outcome.threads, areSignalled {
      require(
        records.starts >= UInt64(threads), "\(records.starts) threads of \(Int(threads)) known")
    }
    return problems
  }

  @Test(.enabled(if: Self.chosen == nil || Self.chosen == "death"))
  func `a program that is killed at any moment leaves whole records`() throws {
    let lives = try TortureRun.killAtRandom(seconds: Self.seconds)
    TortureLog(
      program: "death", way: Way.usual.rawValue, rounds: lives.kills, samples: lives.samples,
      allocations: 0, threads: lives.threads, lost: lives.lost, ticks: lives.ticks,
      problems: lives.problems
    ).write()
    #expect(lives.problems.isEmpty)
  }
}
