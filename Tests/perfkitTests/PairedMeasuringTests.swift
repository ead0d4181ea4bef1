import ArgumentParser
import Foundation
import PerfModel
import PerfRunner
import PerfStore
import PerfTestSupport
import Synchronization
import Testing

@testable import perfkit

/// Comparisons of two variants of a script that go on where they were stopped, or that do not.
@Suite(.serialized)
struct PairedMeasuringTests {
  private let perfkit: TestCommand
  private let store: RunStore

  init() throws {
    perfkit = try TestCommand()
    store = try RunStore(path: perfkit.folder(".perfkit/perfkit.sqlite"))
    try scenario("wall")
    try program("exit 0")
  }

  private func scenario(_ metric: String, margin: String = "10%") throws {
    try perfkit.scenario(
      "work",
      """
      scenario: work
      summary: A script.
      command: [../program]
      variants: { a: {}, b: {} }
      default_variant: a
      iterations: 2
      warmup: 0
      gate: { margin: \(margin), metrics: { \(metric): {} } }
      """)
  }

  private func program(_ text: String) throws {
    try Executable.write("#!/bin/sh\n\(text)\n", to: perfkit.folder("program"))
  }

  /// Makes pairs, and returns what came of them and what was said.
  private func measure(
    pairs: Int = 1, atLeast: Int = 1, gatingCount: Int = 1,
    allowsDifferentEnvironments: Bool = false,
    _ words: String...
  ) throws -> (PairedComparison, String) {
    let said = TestCommand.Said()
    let measuring = Measuring(
      options: try MeasuringOptions.parse(["--no-profile"] + words),
      global: try GlobalOptions.parse([]), context: perfkit.context(said))
    let subject = try measuring.subject("work")
    let compared = try PairedMeasuring(
      measuring: measuring, minPairs: atLeast, maxPairs: pairs,
      allowsDifferentEnvironments: allowsDifferentEnvironments, isOutOfTime: { false }
    ).measure(
      .init(
        base: .init(subject: subject, variant: "a"),
        candidate: .init(subject: subject, variant: "b")),
      gatingCount: gatingCount, into: store)
    return (compared, said.errors)
  }

  @Test func `what has all its pairs is not measured again, and goes on when it may have more`()
    throws
  {
    let (first, _) = try measure()
    #expect(first.pairs.count == 1 && !first.stored.isFinished)
    let (same, said) = try measure()
    #expect(same.stored.id == first.stored.id && same.legs.count == 1)
    #expect(said.contains("has its 1 pair already; a greater --max-pairs goes on with it"))
    let (more, saidMore) = try measure(pairs: 2)
    #expect(more.stored.id == first.stored.id && more.pairs.count == 2)
    #expect(saidMore.contains("going on with comparison \(first.stored.id) after 1 pair"))
    // Budgets are judged by both sessions: 2 pairs of 4 launches.
    #expect(more.legs.count == 2)
    #expect(more.candidate.measured.count == 8)
  }

  @Test func `the last pair ends a comparison that it decides`() throws {
    // Nobody counts allocations, so at the first look it is clear that they cannot be told.
    try scenario("alloc.count")
    let (first, _) = try measure(pairs: 11)
    #expect(first.comparison.verdict == .inconclusive)
    #expect(first.pairs.count == 11 && first.stored.isFinished)
    let (second, said) = try measure(pairs: 11)
    #expect(second.stored.id != first.stored.id && second.pairs.count == 11)
    #expect(!said.contains("going on"))
  }

  @Test func `what is decided goes on to the pairs that it is to have, and keeps its verdict`()
    throws
  {
    // Nobody counts allocations: that is known after 11 pairs.
    try scenario("alloc.count")
    let (first, _) = try measure(pairs: 13, atLeast: 12)
    #expect(first.isDecided && first.pairs.count == 12 && first.stored.isFinished)
    #expect(first.comparison.verdict == .inconclusive)
  }

  @Test func `another program is another comparison, and the old one goes on with the old program`()
    throws
  {
    let (first, _) = try measure()
    try program("true; exit 0")
    let (second, said) = try measure()
    #expect(second.stored.id != first.stored.id && second.pairs.count == 1)
    #expect(
      said.contains(
        "comparison \(first.stored.id) was stopped and does not go on: the base's program changed "
          + "and the candidate's program changed; another one is begun"), "\(said)")
    try program("exit 0")
    let (third, _) = try measure(pairs: 2)
    #expect(third.stored.id == first.stored.id && third.pairs.count == 2)
  }

  @Test func `another design is another comparison, and the reason is said`() throws {
    let (first, _) = try measure()
    let (more, said) = try measure(gatingCount: 6)
    #expect(more.stored.id != first.stored.id)
    #expect(more.stored.design.gatingCount == 6)
    #expect(said.contains("6 metrics decide in the whole invocation, 1 did then"), "\(said)")
    let (allowing, saidAllowing) = try measure(gatingCount: 6, allowsDifferentEnvironments: true)
    #expect(allowing.stored.id != more.stored.id)
    #expect(saidAllowing.contains("--allow-different-environments was not given"))
    let (counting, saidCounting) = try measure("--allocations")
    #expect(counting.stored.id != first.stored.id)
    #expect(saidCounting.contains("how the base is launched changed"), "\(saidCounting)")
    try scenario("wall", margin: "5%")
    let (finer, saidFiner) = try measure()
    #expect(finer.stored.design.policy.margin == Scenario.Margin(relative: 0.05))
    #expect(saidFiner.contains("the gate has other margins or metrics"), "\(saidFiner)")
  }

  @Test func `what is built takes nothing of the time that measuring may take`() throws {
    let began = ContinuousClock.now
    let clock = MeasuringClock()
    var inside = Duration.zero
    clock.leavingOut {
      let start = ContinuousClock.now
      while inside == .zero { inside = start.duration(to: .now) }
    }
    #expect(clock.elapsed <= began.duration(to: .now) - inside)

    let repository = try TestRepository()
    let measuring = Measuring(
      options: try MeasuringOptions.parse([]), global: try GlobalOptions.parse(["--quiet"]),
      context: repository.perfkit.context(TestCommand.Said()))
    #expect(measuring.clock.built == .zero)
    _ = try RevisionSides(measuring: measuring) { checkout in
      (try checkout.revision("HEAD"), try checkout.revision("HEAD"))
    }
    #expect(measuring.clock.built > .zero)
  }

  @Test func `what is left of the time is dealt out evenly, and building takes none of it`() throws
  {
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    func pass(_ seconds: Int) { passed.withLock { $0 += .seconds(seconds) } }
    let measuring = Measuring(
      options: try MeasuringOptions.parse(["--max-time", "9s"]),
      global: try GlobalOptions.parse([]), context: perfkit.context(TestCommand.Said()),
      clock: MeasuringClock { start + passed.withLock { $0 } })
    measuring.clock.leavingOut { pass(100) }
    let first = TimeShare(of: measuring, among: 3)
    #expect(first.time == .seconds(3))
    pass(3)
    #expect(!first.isOver())
    measuring.clock.leavingOut { pass(50) }
    #expect(!first.isOver())
    pass(1)
    #expect(first.isOver())
    // What the first took too long the others share: 9 - 4 seconds are left for two.
    let second = TimeShare(of: measuring, among: 2)
    #expect(second.time == .seconds(2.5) && !second.isOver())
    // What it does not need is left for the last.
    pass(1)
    let third = TimeShare(of: measuring, among: 1)
    #expect(third.time == .seconds(4) && !measuring.isOutOfTime())
    pass(5)
    #expect(third.isOver() && measuring.isOutOfTime())
    let unlimited = Measuring(
      options: try MeasuringOptions.parse([]), global: try GlobalOptions.parse([]),
      context: perfkit.context(TestCommand.Said()))
    #expect(TimeShare(of: unlimited, among: 2).time == nil)
  }

  @Test func `each scenario of a diff has its share of the time, however little it is`() throws {
    let other = try String(contentsOfFile: perfkit.folder("Scenarios/work.yml"), encoding: .utf8)
    try perfkit.scenario("other", other.replacing("scenario: work", with: "scenario: other"))
    let result = perfkit(
      "diff", "--scenario", "work", "--scenario", "other", "--variant", "a", "--variant", "b",
      "--no-profile", "--no-report", "--max-time", "1ns", "--exit-code", "--format", "json")
    #expect(result.status == .inconclusive, "\(result.errors)")
    let comparisons = try #require(
      JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
    #expect(comparisons.map { $0["pairs"] as? Int } == [1, 1])
  }

  @Test func `a decision of another store overwrites no page and has a number of its own`() throws {
    let diff = [
      "diff", "--scenario", "work", "--variant", "a", "--variant", "b", "--no-profile",
      "--no-report", "--max-time", "1ns",
    ]
    let decide = ["decide", "latest", "--keep", "--because"]
    let other = ["--store", "other.sqlite"]
    #expect(perfkit.run(diff).status == .done)
    let first = perfkit.run(decide + ["It was first."])
    #expect(first.output == "Reports/decisions/0001-work-kept.md\n", "\(first.errors)")
    #expect(perfkit.run(diff + other).status == .done)
    let second = perfkit.run(decide + ["It came later."] + other)
    #expect(second.output == "Reports/decisions/0002-work-kept.md\n", "\(second.errors)")
    let page = { (name: String) in
      try String(contentsOfFile: perfkit.folder("Reports/decisions/\(name)"), encoding: .utf8)
    }
    #expect(try page("0001-work-kept.md").contains("It was first."))
    #expect(try page("0002-work-kept.md").hasPrefix("# 2. work"))
    let list = perfkit.run(["list", "decisions"] + other).output
    // The other store knows nothing of the first one, but its page does.
    let (one, two) = (list.range(of: "It was first."), list.range(of: "It came later."))
    #expect(try #require(one).lowerBound < #require(two).lowerBound)
  }

  @Test func `so few pairs as can decide nothing are refused`() throws {
    let pairing = try PairingOptions.parse(["--max-pairs", "11"])
    // As LookSchedule's table says: of five metrics the first look is after 11 pairs, of six after 12.
    try pairing.check(gatingCount: 5)
    let failure = #expect(throws: Failure.self) { try pairing.check(gatingCount: 6) }
    #expect(failure?.status == .usage)
    #expect(failure?.message.contains("the first look is after 12 pairs") == true)
  }
}
