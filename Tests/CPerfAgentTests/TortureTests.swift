import Glibc
import PerfProfile
import Testing

/// Programs that do whatever a program can do, while the agent samples them at 5 kHz.
///
/// Here each has a second. `Scripts/torture` gives them minutes, by PERFKIT_TORTURE_SECONDS, and
/// chooses one by PERFKIT_TORTURE_PROGRAM, and how it is sampled by PERFKIT_TORTURE_WAY.
@Suite(.serialized) struct TortureTests {
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
    if let hang = outcome.hang { Issue.record("\(program) hangs:\n\(hang)") }
    // 0: all of its answers were right.
    #expect(outcome.status == 0)
    #expect(outcome.rounds ?? 0 > 0)
    let records = outcome.records
    let audit = outcome.audit
    #expect(records.problems.isEmpty)
    #expect(!audit.hasForeignHandler)
    #expect(records.samples == UInt64(audit.samplesWritten))
    #expect(records.samples > 0 || !Self.areSignalled)
    if records.dropped == 0 {
      #expect(records.areThreadsKnown)
      // Programs that go on as others leave threads without an end, and so do the few that live to the
      // end of the program when the ticker does not get to run then.
      #expect(records.ends <= records.starts)
      if program != "execs" { #expect(records.ends + 8 >= records.starts) }
      // One that takes long to die may be met a second time.
      if let threads = outcome.threads, Self.areSignalled {
        #expect(records.starts >= UInt64(threads))
      }
    }
    Self.tell(
      program, "(\(way.rawValue))",
      "\(Int(outcome.rounds ?? 0)) rounds, \(records.samples) samples,",
      "\(records.allocations) allocations,",
      "\(records.starts) threads, \(records.dropped + UInt64(audit.samplesDropped)) dropped")
  }

  @Test(.enabled(if: Self.chosen == nil || Self.chosen == "death"))
  func `a program that is killed at any moment leaves whole records`() throws {
    let (problems, kills) = try TortureRun.killAtRandom(seconds: Self.seconds)
    #expect(problems.isEmpty)
    Self.tell("death", "\(kills) kills")
  }

  /// Says what was done, for those who let it run for hours.
  private static func tell(_ words: String...) {
    if getenv("PERFKIT_TORTURE_SECONDS") != nil { print(words.joined(separator: " ")) }
  }
}
