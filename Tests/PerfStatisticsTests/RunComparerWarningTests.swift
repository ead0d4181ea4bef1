import PerfModel
import PerfStatistics
import Testing

/// Reasons to doubt a comparison: other machines, builds or parameters, lost launches, the profile.
struct RunComparerWarningTests {
  @Test
  func `different machines make a comparison void unless they are allowed with a warning`() throws {
    let values = TestRuns.spread(100, by: 0.01, count: 8)
    let base = TestRuns.run(
      ["wall": values], id: "a", environment: [.cpuModel: "X", .kernel: "6.1.5"])
    let candidate = TestRuns.run(
      ["wall": values.map { $0 * 2 }], id: "b", environment: [.cpuModel: "Y", .kernel: "6.1.9"])
    let comparison = try RunComparer().compare(base, candidate)
    #expect(comparison.verdict == .void)
    #expect(comparison.environmentDifferences.map(\.key) == ["cpu.model"])
    #expect(comparison.warnings.contains { $0.code == "comparison.environments_differ" })
    let allowed = try RunComparer(allowsDifferentEnvironments: true).compare(base, candidate)
    #expect(allowed.verdict == .regressed)
    #expect(allowed.warnings.contains { $0.code == "comparison.environments_allowed" })
  }

  @Test(
    arguments: [
      ([:], [:], "the base and the candidate"),
      ([.buildIdentity: "1"], [.buildIdentity: "2"], "the base and the candidate"),
      ([.buildFlags: "-O"], [.buildIdentity: "2"], "the candidate"),
      ([.buildIdentity: "1"], [.buildIdentity: "1"], nil),
      ([.buildFlags: "-O"], [.buildFlags: "-O"], nil),
    ] as [([Environment.Key: String], [Environment.Key: String], String?)])
  func `unknown build flags raise a warning unless both sides are of one build`(
    base: [Environment.Key: String], candidate: [Environment.Key: String], unknown: String?
  ) throws {
    let values = ["wall": TestRuns.spread(100, by: 0.01, count: 8)]
    let comparison = try RunComparer().compare(
      TestRuns.run(values, environment: base), TestRuns.run(values, environment: candidate))
    let warning = comparison.warnings.first { $0.code == "comparison.flags_unknown" }
    #expect(
      warning?.message
        == unknown.map {
          "the build flags of \($0) are unknown, so different flags would look like a change of the "
            + "program"
        })
  }

  @Test
  func `other parameters or scenarios, lost launches and debug builds raise warnings`() throws {
    let values = TestRuns.spread(100, by: 0.01, count: 8)
    func codes(_ base: Run, _ candidate: Run) throws -> Set<String> {
      Set(try RunComparer().compare(base, candidate).warnings.map(\.code))
    }
    let plain = TestRuns.run(["wall": values], environment: [.buildIdentity: "1"])
    #expect(try codes(plain, plain) == ["comparison.unpaired"])
    let more = TestRuns.run(["wall": values], parameters: ["books": .int(5)])
    #expect(try codes(plain, more).contains("comparison.parameters_differ"))
    let other = TestRuns.run(["wall": values], scenario: "t")
    #expect(try codes(plain, other).contains("comparison.scenarios_differ"))
    #expect(try RunComparer().compare(plain, other).verdict == .void)
    #expect(
      try RunComparer(allowsDifferentEnvironments: true).compare(plain, other).verdict == .void)
    let lost = TestRuns.run(["wall": values], lost: 2)
    #expect(try codes(plain, lost).contains("comparison.launches_lost"))
    let debug = TestRuns.run(["wall": values], environment: [.configuration: "debug"])
    #expect(try codes(debug, debug).contains("comparison.debug_build"))
  }

  @Test(arguments: ["sampler.", "symbols."])
  func `warnings about samples and names are reported once per kind and side`(kind: String) throws {
    let values = TestRuns.spread(100, by: 0.01, count: 8)
    func run(_ warnings: [String]) -> Run {
      var audit = ProfileAudit()
      audit.warnings = warnings.map { RunWarning(code: kind + $0, message: $0) }
      return TestRuns.run(
        ["wall": values],
        profile: Profile(
          functions: [], nodes: [], threads: [], phases: [""], counts: [], timeline: [:],
          audit: audit))
    }
    let (base, candidate) = (run(["late"]), run(["dropped", "late", "dropped"]))
    let expected = ["base: late", "candidate: dropped", "candidate: late"]
    for comparison in [
      try RunComparer().compare(base, candidate),
      try PairedComparer(seed: 1).compare(base, candidate, launchesPerPair: 4),
    ] {
      let told = comparison.warnings.filter { $0.code.hasPrefix(kind) }
      #expect(told.map(\.message) == expected)
    }
  }
}
