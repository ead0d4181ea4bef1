import PerfModel
import Testing

@testable import PerfClaims

/// Tests of claims with a stated input, a cap, a cause, and of runs that are out of date.
struct ClaimKindTests {
  private static let definitions = [
    MetricDefinition(
      name: "wall", dimension: .time, direction: .lower, scale: .ratio, summary: "Wall time.")
  ]

  /// Returns a run of `s:id` with launches of these times in milliseconds.
  private static func run(
    _ id: String, _ times: [Double], _ parameters: Parameters, program: String = "00ff"
  ) -> Run {
    Run(
      id: id, scenario: "s", variant: id, label: nil, started: Timestamp(milliseconds: 0),
      seed: 1, parameters: parameters, command: [],
      environment: Environment(facts: ["build.id": program]),
      definitions: definitions,
      launches: times.enumerated().map { index, time in
        Launch(
          index: index, isWarmup: false, status: .completed, offset: 0,
          metrics: ["wall": time * 1e6])
      },
      budgets: [], profile: nil, warnings: [], wasInterrupted: false)
  }

  private static func readings(_ after: String, before: String? = nil) -> Claim.Readings {
    func reading(_ variant: String) -> Claim.Reading {
      .init(
        source: .init(scenario: "s", variant: variant), formula: .metric("wall"), text: "wall")
    }
    return .init(before: before.map(reading), after: reading(after))
  }

  private static let limit = Assertion(.below, Quantity(100, .milliseconds))

  private static func claim(
    _ assertion: Assertion = limit, _ evidence: Claim.Evidence = .measured(readings("fast"))
  ) -> Claim {
    Claim(id: "E1.1", study: "S", quote: "q", assertion: assertion, evidence: evidence)
  }

  private static let runs = [
    "fast": run("fast", [50, 50, 50, 51, 51, 51], ["key": .string("structure")]),
    "slow": run("slow", [300, 300, 300, 301, 301, 301], ["key": .string("formatted")]),
    "large": run("large", [50, 50, 50, 51, 51, 51], ["books": .int(9), "key": .string("none")]),
    "older": run(
      "older", [50, 50, 50, 51, 51, 51], ["key": .string("formatted")], program: "0000"),
  ]

  private static func finding(
    _ claim: Claim, changes: [String: [String]] = [:]
  ) -> ClaimFinding {
    ClaimJudge.finding(
      of: claim, run: { runs[$0.variant] }, changes: { changes[$0.variant] ?? [] })
  }

  @Test func `evidence that repeats an input is stated, but contradicted if it differs`() {
    var claim = Self.claim()
    claim.stated = "The time is a parameter."
    let found = Self.finding(claim)
    #expect(found.verdict == .stated)
    #expect(found.reason == "The time is a parameter.")
    var other = Self.claim(Self.limit, .measured(Self.readings("slow")))
    other.stated = claim.stated
    #expect(Self.finding(other).verdict == .contradicted)
    // A stated constant of the study's code.
    var constant = Self.claim(
      Assertion(.equal, Quantity(10, .milliseconds), tolerance: .exactly),
      .computed(.number(.init(10e6, .time)), text: "1 s / 100"))
    constant.stated = "The definition."
    #expect(Self.finding(constant).verdict == .stated)
  }

  @Test func `a change between two values at the cap is not testable`() {
    let more = Assertion(.more, .atLeast, Quantity(baseValue: 0.9, unit: .ratio))
    var claim = Self.claim(more, .measured(Self.readings("slow", before: "slow")))
    claim.cap = Quantity(300, .milliseconds)
    let found = Self.finding(claim)
    #expect(found.verdict == .notTestable)
    #expect(
      found.reason
        == "The scenario does not show the effect: both sides reach the cap of 300 ms.")
    claim.cap = Quantity(1, .seconds)
    #expect(Self.finding(claim).verdict == .reproduced)
  }

  @Test func `a contradiction without a cause is reported as unknown`() {
    let found = Self.finding(Self.claim(Self.limit, .measured(Self.readings("slow"))))
    #expect(found.cause == .init(text: nil, isShown: nil))
    #expect(found.cause?.sentence == "Cause unknown.")
    #expect(Self.finding(Self.claim()).cause == nil)
  }

  /// Returns the cause of a contradiction by `slow`, which has no test.
  private static func causeWithoutTest(before: String) -> ClaimFinding.Cause? {
    let less = Assertion(.less, .above, Quantity(baseValue: 2, unit: .ratio))
    var claim = Self.claim(less, .measured(Self.readings("slow", before: before)))
    claim.cause = .init(text: "the key is formatted", test: nil)
    return Self.finding(claim).cause
  }

  @Test func `two runs that differ in one parameter alone show the cause`() {
    let cause = Self.causeWithoutTest(before: "fast")
    #expect(cause?.isShown == true)
    #expect(
      cause?.sentence == "Cause, shown by a measurement: the key is formatted (the runs differ in "
        + "one parameter alone: key changed from structure to formatted).")
  }

  @Test(arguments: [
    ("large", ": the parameter books (9) was removed, key changed from none to formatted"),
    ("older", ": the program changed"), ("slow", ""),
  ])
  func `runs that differ in more than a parameter, or in none, do not show the cause`(
    before: String, differences: String
  ) {
    let cause = Self.causeWithoutTest(before: before)
    #expect(cause?.isShown == false)
    #expect(
      cause?.sentence == "Cause unknown: the measurement does not show that the key is formatted "
        + "(the runs do not differ in one parameter alone\(differences)).")
  }

  @Test func `the cause of a contradiction is tested by its own measurement`() {
    var claim = Self.claim(Self.limit, .measured(Self.readings("slow")))
    claim.cause = .init(
      text: "the slow variant waits",
      test: .init(assertion: Self.limit, readings: Self.readings("fast")))
    let shown = Self.finding(claim)
    #expect(shown.runs == ["slow", "fast"])
    #expect(
      shown.cause?.sentence
        == "Cause, shown by a measurement: the slow variant waits "
        + "(wall of s:fast: 50.5 ms [50 ms, 51 ms]).")
    claim.cause = .init(
      text: "the slow variant waits",
      test: .init(assertion: Self.limit, readings: Self.readings("slow")))
    #expect(Self.finding(claim).cause?.isShown == false)
    claim.cause = .init(
      text: "the slow variant waits",
      test: .init(assertion: Self.limit, readings: Self.readings("none")))
    #expect(
      Self.finding(claim).cause?.sentence
        == "Cause unknown: the measurement does not show that the slow variant waits "
        + "(wall of s:none: There is no run of s:none.).")
  }

  @Test func `the cause of a contradiction by arithmetic is the arithmetic`() {
    let claim = Self.claim(
      Assertion(.equal, Quantity(6.2, .milliseconds), tolerance: .exactly),
      .computed(.number(.init(6.5e6, .time)), text: "13 ms / 2"))
    #expect(Self.finding(claim).cause?.sentence == "Cause: the study's own numbers, 13 ms / 2.")
  }

  @Test func `a claim is stale if an input of any of its runs changed`() {
    let claim = Self.claim()
    let found = Self.finding(claim, changes: ["fast": ["books changed from 1 to 2"]])
    #expect(found.verdict == .stale)
    #expect(found.last == .reproduced)
    #expect(
      found.reason
        == "Was REPRODUCED. Since run fast of s:fast, books changed from 1 to 2.")
    #expect(Self.finding(claim, changes: ["slow": ["the program changed"]]).verdict == .reproduced)
    var caused = Self.claim(Self.limit, .measured(Self.readings("slow")))
    caused.cause = .init(
      text: "t", test: .init(assertion: Self.limit, readings: Self.readings("fast")))
    #expect(Self.finding(caused, changes: ["fast": ["the program changed"]]).verdict == .stale)
  }
}
