import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The program that `Scripts/claims` starts, from files of claims to reports.
///
/// The program only decides here, so the one that `Scripts/check` builds without optimisation suffices.
struct ClaimsProgramTests {
  private static let program = TestPrograms.testFolder + "/PerfBench"

  private func describe(
    _ command: String, for perfkit: TestCommand, other: String = "", more: String = ""
  ) throws {
    try perfkit.scenario(
      "work",
      """
      scenario: work
      summary: A command.
      command: \(command)
      variants: { plain: {}, other: { \(other) } }
      default_variant: plain
      iterations: 2
      warmup: 0
      timeout: 60s
      \(more)
      """)
  }

  /// Returns a command with a run of the label that the claims refer to.
  private func measured(label: String) throws -> TestCommand {
    let perfkit = try TestCommand()
    try describe("[/bin/true]", for: perfkit)
    #expect(perfkit("run", "--all", "work", "--no-report", "--label", label).status == .done)
    return perfkit
  }

  private func write(_ claims: String, for perfkit: TestCommand) throws {
    let folder = perfkit.folder("claims")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let head = "study: Work\nclaims:\n"
    try (head + claims).write(toFile: folder + "/work.yml", atomically: true, encoding: .utf8)
  }

  private func decide(_ perfkit: TestCommand, _ words: String...) throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: Self.program)
    process.arguments =
      [
        "claims", "--claims", perfkit.folder("claims"), "--output", perfkit.folder("out"),
        "--store",
        perfkit.folder(".perfkit/perfkit.sqlite"), "--scenarios", perfkit.folder("Scenarios"),
      ] + words
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  private static let short = """
      - { id: E1.1, quote: short, claimed: < 60 s, after: "work:plain", metric: wall }
      - { id: E1.2, quote: sum, claimed: = 4 count, held: exactly, formula: 2 + 3 }
    """ + "\n"

  @Test func `claims are decided by the runs of a label and written as reports`() throws {
    let perfkit = try measured(label: "claims")
    try write(Self.short, for: perfkit)
    let result = try decide(perfkit)
    #expect(result.status == 0)
    #expect(result.output == "2 claims: 1 reproduced, 1 contradicted\n")
    let report = try String(contentsOfFile: perfkit.folder("out/claims.md"), encoding: .utf8)
    #expect(report.contains("| E1.1 | short | &lt; 60 s | under 60 s | wall of work:plain |"))
    let json = try Data(contentsOf: URL(filePath: perfkit.folder("out/claims.json")))
    let content = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect((content["claims"] as? [[String: Any]])?.count == 2)
  }

  @Test func `a claim without a run of the label exits with 3`() throws {
    let perfkit = try measured(label: "another")
    try write(Self.short, for: perfkit)
    let result = try decide(perfkit)
    #expect(result.status == 3)
    #expect(
      result.output == """
        2 claims: 1 contradicted, 1 not measured
        E1.1: NOT MEASURED: There is no run of work:plain.

        """)
    #expect(try decide(perfkit, "--label", "another").status == 0)
  }

  @Test func `a claim whose scenario or program changed since its run exits with 3`() throws {
    let perfkit = try measured(label: "claims")
    try write(Self.short, for: perfkit)
    #expect(try decide(perfkit).status == 0)
    try describe("[/bin/true, again]", for: perfkit)
    let changed = try decide(perfkit)
    #expect(changed.status == 3)
    #expect(
      changed.output.contains("2 claims: 1 contradicted, 1 stale\nE1.1: STALE: Was REPRODUCED."))
    #expect(
      changed.output.contains(
        "the conditions changed from 'command=/bin/true rate=1000' to "
          + "'command=/bin/true again rate=1000'."))
    try describe("[/bin/echo]", for: perfkit)
    #expect(try decide(perfkit).output.contains("the program changed."))
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios/work.yml"))
    let removed = try decide(perfkit)
    #expect(removed.status == 3)
    #expect(removed.output.contains("the variant can no longer be measured: "))
  }

  @Test func `the report names the commit, the machine and the program of each run`() throws {
    let perfkit = try measured(label: "claims")
    try write(Self.short, for: perfkit)
    #expect(try decide(perfkit).status == 0)
    let json = try Data(contentsOf: URL(filePath: perfkit.folder("out/claims.json")))
    let content = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    let run = try #require((content["runs"] as? [[String: Any]])?.first)
    #expect(run["scenario"] as? String == "work" && run["variant"] as? String == "plain")
    let facts = try #require(run["environment"] as? [String: String])
    #expect(facts["conditions"] == "command=/bin/true rate=1000")
    #expect(facts["build.id"]?.count == 16 && facts["cpu.count"] != nil)
  }

  @Test func `the option sources lists the runs that claims need`() throws {
    let perfkit = try measured(label: "claims")
    let both =
      "  - { id: E2.1, quote: q, claimed: 'less > 1x', before: \"work:other\", after: \"work:plain\","
      + " metric: wall }\n"
    try write(Self.short + both, for: perfkit)
    #expect(try decide(perfkit, "--sources").output == "work --variant other --variant plain\n")
    try write(Self.short, for: perfkit)
    #expect(try decide(perfkit, "--sources").output == "work --variant plain\n")
    try describe("[/bin/true]", for: perfkit, more: Self.contrast)
    #expect(try decide(perfkit, "--sources").output == "work --variant other --variant plain\n")
  }

  /// A statement that two equal commands meet.
  private static let contrast = "expects: [wall(plain) < 1000 * wall(other)]"

  // The claim needs the variant plain alone, so that it stays fresh.
  @Test func `a contrast whose variant changed since its run is stale and exits with 3`() throws {
    let perfkit = try TestCommand()
    try describe("[/bin/true]", for: perfkit, more: Self.contrast)
    _ = perfkit(
      "run", "--all", "work", "--variant", "plain", "--variant", "other", "--no-report", "--label",
      "claims")
    try write(Self.short, for: perfkit)
    #expect(try decide(perfkit).status == 0)
    let report = try String(contentsOfFile: perfkit.folder("out/claims.md"), encoding: .utf8)
    #expect(report.contains("| work:other |"))
    try describe("[/bin/true]", for: perfkit, other: "sample_rate: 100", more: Self.contrast)
    let changed = try decide(perfkit)
    #expect(changed.status == 3)
    #expect(changed.output.contains("2 claims: 1 reproduced, 1 contradicted\n"))
    #expect(
      changed.output.contains(
        "work: stale: wall(plain) < 1000 * wall(other): Was kept. Since run "))
    #expect(
      changed.output.contains(
        "of work:other, the conditions changed from 'command=/bin/true rate=1000' to "
          + "'command=/bin/true rate=100'.\n"))
  }

  // Two equal commands do not differ by a factor of a hundred.
  @Test func `expectations that the runs break are printed and reported`() throws {
    let perfkit = try TestCommand()
    try describe(
      "[/bin/true]", for: perfkit, more: "expects: [wall(plain) > 100 * wall(other)]")
    _ = perfkit(
      "run", "--all", "work", "--variant", "plain", "--variant", "other", "--no-report", "--label",
      "claims")
    try write(Self.short, for: perfkit)
    let result = try decide(perfkit)
    #expect(result.status == 0)
    #expect(result.output.contains("work: broken: wall(plain) > 100 * wall(other)\n"))
    let report = try String(contentsOfFile: perfkit.folder("out/claims.md"), encoding: .utf8)
    #expect(report.contains("Contrasts of the variants"))
    #expect(report.contains("| work | **broken** | wall(plain)"))
  }
}
