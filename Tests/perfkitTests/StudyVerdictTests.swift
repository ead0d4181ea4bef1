import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The headline numbers of case studies in `perfkit list scenarios` and `perfkit show STUDY`.
struct StudyVerdictTests {
  private func describe(_ command: String, for perfkit: TestCommand) throws {
    try perfkit.scenario(
      "work",
      """
      scenario: work
      summary: A command.
      case_study: { study: Works, statement: It is fast. }
      command: \(command)
      variants: { plain: {} }
      default_variant: plain
      iterations: 2
      warmup: 0
      """)
  }

  /// Returns a command with a scenario and a study of it.
  private func studied(headline: String = "E1.1") throws -> TestCommand {
    let perfkit = try TestCommand()
    try describe("[/bin/true]", for: perfkit)
    let folder = perfkit.folder("Scenarios/claims")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try """
    study: Works
    story: The command was slow, and then it became fast.
    headlines: { \(headline): less than a minute }
    claims:
      - { id: E1.1, quote: short, claimed: < 60 s, after: "work:plain", metric: wall }
      - { id: E1.2, quote: sum, claimed: = 4 count, held: exactly, formula: 2 + 3 }
    """.write(toFile: folder + "/works.yml", atomically: true, encoding: .utf8)
    return perfkit
  }

  private func measure(_ perfkit: TestCommand, label: String = "claims") {
    let run = perfkit("run", "--all", "work", "--no-report", "--label", label)
    #expect(run.status == .done, "\(run.errors)")
  }

  @Test func `the list of scenarios shows headline numbers with their last verdicts`() throws {
    let perfkit = try studied()
    let before = perfkit("list", "scenarios")
    #expect(before.status == .done)
    #expect(before.prints("Works, told by 'perfkit show works'"))
    #expect(before.prints("E1.1 less than a minute NOT MEASURED"))
    measure(perfkit)
    #expect(
      perfkit("list", "scenarios").output.contains(/less than a minute +[0-9.]+ ms +REPRODUCED/))
    try describe("[/bin/true, again]", for: perfkit)
    #expect(perfkit("list", "scenarios").output.contains(/less than a minute +[0-9.]+ ms +STALE/))
  }

  @Test func `the rows of scenarios in JSON contain the headline numbers of their study`() throws {
    let perfkit = try studied()
    measure(perfkit)
    let listed = perfkit("list", "scenarios", "--format", "json")
    let rows = try #require(
      JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]])
    #expect(rows.first?["scenario"] as? String == "work")
    let headlines = try #require(rows.first?["headlines"] as? [[String: Any]])
    #expect(headlines.map { $0["headline"] as? String } == ["less than a minute"])
    #expect(headlines.map { $0["verdict"] as? String } == ["REPRODUCED"])
  }

  @Test func `scenarios without claims are listed alone`() throws {
    let perfkit = try TestCommand()
    try describe("[/bin/true]", for: perfkit)
    let listed = perfkit("list", "scenarios")
    #expect(listed.status == .done)
    #expect(!listed.output.contains("Headline"))
  }

  @Test func `an invalid scenario does not hide the others, and is an error`() throws {
    let perfkit = try TestCommand()
    try describe("[/bin/true]", for: perfkit)
    try perfkit.scenario("wrong", "scenario: wrong")
    let listed = perfkit("list", "scenarios")
    #expect(listed.status == .failed)
    #expect(listed.output.contains("work") && listed.says("wrong.yml"), "\(listed.errors)")
  }

  @Test func `invalid claims do not hide the scenarios`() throws {
    let perfkit = try studied(headline: "E9.9")
    let listed = perfkit("list", "scenarios")
    #expect(listed.status == .done)
    #expect(listed.output.contains("work"))
    #expect(listed.says("'headlines' names the claim 'E9.9', but the file has no such claim."))
  }

  @Test(arguments: ["works", "Works", "study:works"])
  func `the story of a study shows claim, before, after and verdict`(name: String) throws {
    let perfkit = try studied()
    let before = perfkit("show", name)
    #expect(before.status == .done, "\(before.errors)")
    #expect(before.prints("NOT MEASURED: the run store has no run for it."))
    measure(perfkit)
    let shown = perfkit("show", name)
    #expect(shown.output.hasPrefix("Works, 2 claims: 1 reproduced, 1 contradicted.\n"))
    #expect(shown.prints("The command was slow, and then it became fast."))
    #expect(shown.output.contains(/E1\.1 +less than a minute +[0-9.]+ ms +REPRODUCED/))
    let json = perfkit("show", name, "--format", "json")
    #expect(try jsonObject(json.output)["schema"] as? String == "perfkit.study/1")
  }

  @Test func `an unknown study is refused with the known ones`() throws {
    let result = try studied()("show", "study:photos")
    #expect(result.status == .failed)
    #expect(
      result.says("there is no case study 'photos' in 'Scenarios/claims'. Its studies are works."))
  }

  @Test func `a label that is also a study is ambiguous`() throws {
    let perfkit = try studied()
    measure(perfkit, label: "works")
    let result = perfkit("show", "works")
    #expect(result.status == .usage)
    #expect(result.says("'works' names a run and a case study. Pass study:works"))
    #expect(perfkit("show", "study:works").status == .done)
    #expect(perfkit("show", "label:works").status == .done)
    #expect(perfkit("show").status == .done)
  }
}
