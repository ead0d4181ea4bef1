import PerfModel
import PerfTestSupport
import Testing

/// Secrets that are not stored.
struct RedactionTests {
  @Test func `each match of each pattern is replaced`() throws {
    let redaction = try Redaction(["hunter[0-9]", "tok_\\w+"])
    #expect(
      redaction("--password=hunter2 tok_abc, hunter3")
        == "--password=[redacted] [redacted], [redacted]")
    #expect(Redaction.none("hunter2") == "hunter2")
  }

  @Test func `the patterns themselves are not kept in a command line`() throws {
    // The pattern does not match itself.
    let redaction = try Redaction(["hunter\\d"])
    #expect(
      redaction(["run", "--redact", "hunter\\d", "--redact=hunter\\d", "--", "a", "hunter2"])
        == ["run", "--redact", "[redacted]", "--redact=[redacted]", "--", "a", "[redacted]"])
    #expect(Redaction.none(["run", "--redact", "x"]) == ["run", "--redact", "x"])
  }

  @Test func `names and values of facts are redacted`() throws {
    let redaction = try Redaction(["secret"])
    #expect(
      redaction(["the file 'secret'": "a secret"]) == ["the file '[redacted]'": "a [redacted]"])
  }

  @Test(arguments: ["(", "a*", "", "|b"])
  func `a pattern that is invalid or matches everywhere is refused`(pattern: String) {
    #expect(throws: Redaction.Problem.self) { try Redaction([pattern]) }
  }

  @Test func `every text of a run that may come from its command line is redacted`() throws {
    var audit = ProfileAudit()
    audit.warnings = [RunWarning(code: "a", message: "of hunter2", remedy: "Ask hunter2.")]
    let sample = SampleRuns.run(launches: 1, warmup: 0, samples: 0, fling: 0)
    let run = Run(
      id: "r1", scenario: "s", variant: "v", label: "hunter2", started: sample.started, seed: 1,
      parameters: ["token": .string("hunter2"), "books": .int(2)],
      command: ["run", "s", "--set", "token=hunter2"],
      environment: Environment(facts: ["conditions": "command=a hunter2"]), definitions: [],
      launches: [
        Launch(index: 0, isWarmup: false, status: .failed("it printed hunter2"), offset: 5)
      ], budgets: [],
      profile: Profile(
        functions: [], nodes: [], threads: [], phases: [""], counts: [], timeline: [:],
        audit: audit), warnings: [RunWarning(code: "w", message: "`a hunter2` failed")],
      wasInterrupted: false)
    let stored = try Redaction(["hunter2"])(run)
    #expect(stored.label == "[redacted]")
    #expect(stored.parameters == ["token": .string("[redacted]"), "books": .int(2)])
    #expect(stored.command == ["run", "s", "--set", "token=[redacted]"])
    #expect(stored.environment.facts == ["conditions": "command=a [redacted]"])
    #expect(stored.launches[0].status == .failed("it printed [redacted]"))
    #expect(stored.launches[0].offset == 5)
    #expect(stored.warnings.map(\.message) == ["`a [redacted]` failed"])
    let warning = try #require(stored.profile?.audit.warnings.first)
    #expect(warning.message == "of [redacted]" && warning.remedy == "Ask [redacted].")
  }
}
