import Foundation
import PerfModel
import PerfReport
import Testing

@testable import PerfGate

/// The reports of a gate with made-up results, in every format.
struct GateReportTests {
  private typealias MadeUp = MadeUpComparisons

  @Test func `an annotation is a single line whatever its message contains`() {
    let finding = GateFinding(
      file: "a.yml", subject: "s:v", topic: "t", message: "a\r\nb\u{600}%", level: .warning)
    let line = "::warning file=a.yml,title=perfkit%3A s%3Av::a%0D%0Ab\u{600}%25"
    #expect(finding.annotation.utf8.elementsEqual(line.utf8), "\(finding.annotation)")
  }

  @Test func `an accepted regression is reported as accepted and fails nothing`() throws {
    let report = MadeUp.report(
      MadeUp.judged([MadeUp.regressed, MadeUp.equivalent], accepting: ["wall"]))
    #expect(report.status == .done)
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(finding.message.hasPrefix("Accepted: wall "), "\(finding.message)")
    #expect(finding.message.hasSuffix(" by decision 4."), "\(finding.message)")
    #expect(finding.annotation.hasPrefix("::notice file=Scenarios/work.yml,"))
    #expect(finding.codeQuality.text().contains(#""severity" : "info""#))
    #expect(report.cases.allSatisfy { $0.outcome == .passed })
    #expect(
      report.cases.contains { $0.name == "wall compared with the base, accepted by decision 4" })
    #expect(
      report.digest.comment.contains(
        "The gate passed: every regression was accepted by a decision."))
    #expect(report.digest.comment.contains("- ☑️ **work:default**: Accepted: wall"))
    #expect(report.digest.comment.contains("**accepted** |"))
    #expect(!report.digest.comment.lowercased().contains("regressed"))
    let json = report.digest.json.text(isIndented: false)
    #expect(json.contains(#""accepted":[{"decision":4,"metric":"wall"}]"#), "\(json)")
  }

  @Test func `a control function without samples is reported and fails nothing`() {
    let unseen = RunWarning(
      code: "comparison.control_unseen", message: "the control function 'scan' has no samples",
      remedy: "Measure without --no-profile.")
    let report = MadeUp.report(
      MadeUp.judged(
        [MadeUp.regressed, MadeUp.equivalent], accepting: ["wall"], warnings: [unseen]))
    #expect(report.status == .done)
    #expect(report.findings.map(\.level) == [.warning, .notice])
    let sentence = "Note: the control function 'scan' has no samples."
    #expect(report.digest.comment.contains("\(sentence) Measure"), "\(report.digest.comment)")
  }

  @Test func `exit statuses that differ between both sides are a finding`() {
    func report(_ exits: [(side: String, status: Int)]) -> GateReport {
      let warnings = exits.map { side, status in
        RunWarning(
          code: "command.exit", message: "the command ended with exit status \(status)"
        ).about(side)
      }
      return MadeUp.report(
        GateComparison(
          MadeUp.comparison([MadeUp.equivalent], .equivalent, warnings: warnings),
          gating: ["cpu.total"]))
    }
    #expect(report([("base", 1), ("candidate", 1)]).findings.isEmpty)
    #expect(report([("base", 1), ("candidate", 2)]).findings.count == 1)
    let differs = report([("candidate", 1)])
    let sentence = "Both sides end differently: candidate: the command ended with exit status 1."
    #expect(differs.findings.map(\.message) == [sentence])
    #expect(differs.digest.comment.contains("- ❔ **work:default**: \(sentence)"))
    #expect(differs.digest.annotations.first?.hasPrefix("::warning ") == true)
    #expect(
      differs.cases.last?.name == "exits" && differs.cases.last?.outcome == .skipped(sentence))
  }

  @Test func `a gate names the functions that the profiles of both sides blame`() {
    let report = MadeUp.report(
      GateComparison(
        MadeUp.comparison([MadeUp.regressed]), gating: ["wall"],
        culprits: [("main", "main", 2e6)]))
    let sentence = "CPU time changed in main (+2 ms per launch)."
    #expect(report.findings.first?.message.hasSuffix(sentence) == true, "\(report.findings)")
    #expect(report.digest.comment.contains(MarkdownRenderer.escape(sentence)))
    #expect(report.digest.json.text().contains(sentence))
  }

  @Test func `a regression beside an accepted one still fails the gate`() {
    let other = MadeUp.metric("cpu.total", 0.2, .regressed)
    let report = MadeUp.report(
      MadeUp.judged([MadeUp.regressed, other], accepting: ["wall"]))
    #expect(report.status == .gateFailed)
    #expect(report.findings.map(\.level) == [.failure, .notice])
    let sentence = ComparisonDocument(MadeUp.comparison([other])).verdictSentence
    #expect(report.findings.first?.message == sentence)
    #expect(sentence.hasPrefix("Regressed: cpu.total "))
    #expect(
      report.cases.filter { $0.outcome != .passed }.map(\.name)
        == ["cpu.total compared with the base"])
    // The failed test case has the regression, so that no other one passes or counts it twice.
    #expect(!report.cases.contains { $0.name == "verdict" })
  }

  @Test func `a gate with a control that was not measured as planned does not pass`() {
    let unknown = RunWarning(
      code: "comparison.control_unknown", message: "scan was not measured as planned")
    let sentence = "Inconclusive: scan was not measured as planned."
    let report = MadeUp.report(
      MadeUp.judged(
        [MadeUp.regressed, MadeUp.equivalent], accepting: ["wall"], warnings: [unknown]))
    #expect(report.status == .inconclusive)
    #expect(report.findings.map(\.level) == [.warning, .notice])
    #expect(report.findings.first?.message == sentence)
    // The control's result has the same finding.
    let whole = MadeUp.comparison([MadeUp.equivalent], .inconclusive, warnings: [unknown])
    let control = GateReport(
      results: [
        GateResult(
          subject: "scan:default", summary: nil,
          comparison: GateComparison(whole, gating: ["cpu.total"]),
          note: "control, not measured as planned", status: .inconclusive, isControl: true)
      ], status: .inconclusive, scenarios: "Scenarios")
    #expect(control.findings.map(\.message) == [sentence])
  }

  @Test func `a comment folds undecided metrics away and marks them with a question mark`() {
    let report = MadeUp.report(
      MadeUp.judged(
        [MadeUp.regressed, MadeUp.metric("rss.peak", 0.03, .inconclusive)], accepting: []))
    let lines = report.digest.comment.split(separator: "\n").map(String.init)
    #expect(lines.contains("| work:default | wall | 1 ms | 1.1 ms | **+10%** | **regressed** |"))
    #expect(
      lines.contains(
        "<details><summary>1 undecided (? marks a change that may be noise)</summary>"),
      "\(report.digest.comment)")
    #expect(
      lines.contains("| work:default | rss.peak | 1 ms | 1.03 ms | +3% ? | inconclusive |"),
      "\(report.digest.comment)")
  }

  @Test(arguments: [PerfGate.ExitStatus.inconclusive, .done])
  func `failed launches are reported in every format`(status: PerfGate.ExitStatus) {
    let whole = MadeUp.comparison([
      MadeUp.metric("wall", -0.0178, .inconclusive, failures: 1)
    ])
    let loss = "1 of 44 launches of the candidate did not complete"
    let report = GateReport(
      results: [
        GateResult(
          subject: "work:default", summary: nil,
          comparison: GateComparison(whole, gating: ["wall"]), note: "comparison c1; \(loss)",
          status: status, loss: loss)
      ], status: status, scenarios: "Scenarios")
    let finding = report.findings.first { $0.message == loss }
    #expect(finding?.level == .warning)
    #expect(
      report.digest.comment.contains("- ❔ **work:default**: \(loss)\n"), "\(report.digest.comment)")
    let sentence = ComparisonDocument(whole).verdictSentence
    #expect(
      report.digest.comment.contains(MarkdownRenderer.escape(sentence)), "\(report.digest.comment)")
    #expect(
      report.digest.comment.contains(
        "1 undecided (? marks a change that may be noise; failed launches are left out)</summary>"))
    #expect(
      report.cases.contains(
        .init(suite: "work:default", name: "launches", outcome: .skipped(loss))))
    #expect(report.digest.json.text().contains(loss))
  }

  @Test func `an undecided comparison has a skipped test case for the undecided change alone`() {
    let whole = MadeUp.comparison([MadeUp.metric("wall", 0.178, .inconclusive)])
    let report = MadeUp.report(GateComparison(whole, gating: ["wall"]))
    #expect(report.status == .inconclusive)
    let change = "wall rose by 17.8% (1 ms to 1.178 ms)"
    #expect(
      report.cases == [
        .init(
          suite: "work:default", name: "wall compared with the base",
          outcome: .skipped("inconclusive: the change is undecided; estimate: \(change)"))
      ])
  }

  @Test func `a void comparison reports no metric as regressed`() {
    let whole = MadeUp.comparison([MadeUp.regressed], .void)
    let comment = MadeUp.report(GateComparison(whole, gating: ["wall"])).digest.comment
    #expect(comment.contains("| +10% ? | void |"), "\(comment)")
    #expect(!comment.contains("regressed"))
  }

  @Test func `a passed gate shows the change that the spread of a baseline may hide`() {
    // Intervals end a percentage point to either side of the estimate, and the margin is 2 %.
    let metrics = [MadeUp.metric("wall", 0.02, .equivalent), MadeUp.equivalent]
    let whole = MadeUp.comparison(metrics, .equivalent, sessions: 5)
    let report = MadeUp.report(GateComparison(whole, gating: ["wall", "cpu.total"]))
    let spread = ComparisonDocument(whole).hiddenBySpread
    #expect(spread?.contains("wall") == true)
    #expect(report.status == .done)
    #expect(report.findings.map(\.message) == [spread] && report.findings[0].level == .notice)
    #expect(
      report.digest.comment.contains("**work:default**: \(MarkdownRenderer.escape(spread ?? ""))"),
      "\(report.digest.comment)")
    // A change within the margin hides nothing, and pairs have no spread of sessions.
    for certain in [
      MadeUp.comparison([MadeUp.equivalent], .equivalent, sessions: 5),
      MadeUp.comparison(metrics, .equivalent),
    ] {
      #expect(ComparisonDocument(certain).hiddenBySpread == nil)
    }
  }

  @Test func `a passed gate shows the allowed differences of the environments`() throws {
    let difference = Environment.Difference(
      key: "cpu.model", base: "A", candidate: "B", voids: true)
    let noted = Environment.Difference(key: "host", base: "a", candidate: "b", voids: false)
    let whole = MadeUp.comparison(
      [MadeUp.equivalent], .equivalent, differing: [difference, noted],
      warnings: [RunWarning(code: "comparison.environments_allowed", message: "They differ.")])
    let report = MadeUp.report(GateComparison(whole, gating: ["cpu.total"]))
    #expect(report.status == .done)
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1 && finding.level == .warning)
    #expect(
      finding.message
        == "The environments differ, which --allow-different-environments permits: "
        + "cpu.model is 'A' in the base and 'B' in the candidate.")
    #expect(report.digest.comment.contains("- ❔ **work:default**: The environments differ"))
    let tables = report.document.blocks.compactMap { block -> Table? in
      if case .table(let table) = block, table.id == "differences" { table } else { nil }
    }
    let rows = try #require(tables.first).groups.flatMap(\.rows)
    #expect(rows.map { $0.last?.text } == ["allowed", "none"])
    // Without the permission the comparison is void, which is a finding.
    let void = MadeUp.comparison([MadeUp.equivalent], .void, differing: [difference])
    let other = MadeUp.report(GateComparison(void, gating: ["cpu.total"]))
    #expect(other.findings.count == 1 && other.findings[0].message.hasPrefix("Void: "))
    #expect(other.findings[0].message.contains("cpu.model"))
  }

  @Test func `an unmeasured metric leaves the gate open although the rest is accepted`() {
    let judged = MadeUp.judged([MadeUp.regressed], accepting: ["wall"], missing: ["rss.peak"])
    #expect(judged.rest.verdict == .inconclusive)
    let report = MadeUp.report(judged)
    #expect(report.findings.contains { $0.message.contains("not measured: rss.peak.") })
    #expect(
      report.cases.contains {
        $0.name == "rss.peak compared with the base"
          && $0.outcome == .skipped("the metric was not measured")
      })
    #expect(MadeUp.judged([MadeUp.regressed], accepting: ["wall"]).rest.verdict == .equivalent)
  }

  @Test(
    arguments: [
      (.failed, .failure, .error("it broke")), (.void, .warning, .skipped("it broke")),
      (.gateFailed, .failure, .failed("it broke")),
      (.inconclusive, .warning, .skipped("it broke")),
    ] as [(PerfGate.ExitStatus, GateFinding.Level, JUnitRenderer.CheckResult)])
  func `every result that did not pass has a finding and a test case with the reason`(
    status: PerfGate.ExitStatus, level: GateFinding.Level, outcome: JUnitRenderer.CheckResult
  ) {
    let report = GateReport(
      results: [
        GateResult(
          subject: "work:default", summary: nil, comparison: nil, note: "it broke", status: status)
      ], status: status, scenarios: "Scenarios")
    #expect(report.findings.map(\.level) == [level])
    #expect(report.findings.map(\.message) == ["it broke"])
    #expect(
      report.cases == [.init(suite: "work:default", name: "verdict", outcome: outcome)])
  }

  @Test func `an error of the whole gate is shown at the project file with its log`() throws {
    let report = GateReport(
      results: [.failed("gate", Failure("It does not build:\n  a < b *c*"), isOfScenario: false)],
      status: .failed, scenarios: "Scenarios")
    #expect(report.findings.first?.file == "perfkit.yml")
    #expect(report.digest.comment.contains("### ❌ The gate could not be judged.\n"))
    #expect(
      report.digest.comment.contains("- ❌ **gate**: It does not build:\n\n        a < b *c*\n"),
      "\(report.digest.comment)")
    #expect(report.cases.map(\.suite) == ["gate"])
  }

  private static func change(_ kind: GateChange.Kind, decision: Int? = nil) -> GateResult {
    GateChange(kind: kind, subject: "scroll", sentence: "It is so.", decision: decision).result
  }

  private static func report(_ results: [GateResult]) -> GateReport {
    GateReport(
      results: results, status: PerfGate.ExitStatus.worst(results.map(\.status)),
      scenarios: "Scenarios")
  }

  @Test func `a removed scenario fails the gate in every format`() throws {
    let report = Self.report([Self.change(.removed)])
    let note = "It is so. Accept it: perfkit decide removed:scroll --keep --because TEXT."
    #expect(report.status == .gateFailed)
    #expect(report.sentence == "The gate failed: scroll (removed).")
    let table = try #require(report.document.tables.first)
    #expect(table.rows.map { $0.map(\.text) } == [["removed", "scroll", "-", note]])
    #expect(report.findings.map(\.message) == [note])
    #expect(report.findings.map(\.level) == [.failure])
    #expect(report.digest.comment.contains("- ❌ **scroll**: It is so."))
    #expect(
      report.cases == [.init(suite: "scroll", name: "rule removed", outcome: .failed(note))])
    let json = report.digest.json.text()
    #expect(json.contains(#""id" : "removed:scroll""#) && json.contains(#""kind" : "removed""#))
    #expect(json.contains(#""verdict" : "failed""#))
  }

  @Test func `a gate with many findings fits into one screen, the first finding with its remedy`() {
    let results = (0..<40).map { index in
      index == 0
        ? Self.change(.removed)
        : GateResult(
          subject: "a-scenario-\(index):default", summary: nil, comparison: nil,
          note: String(repeating: "it broke in many ways ", count: 9), status: .failed)
    }
    let report = Self.report(results)
    for (detail, limit) in [(Detail.screen, 24), (.brief, 15)] {
      let text = TextRenderer(detail: detail).render(report.document(detail))
      let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= limit, "\(text)")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(text)")
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("perfkit decide removed:scroll --keep --because TEXT."), "\(text)")
      #expect(words.contains("more findings"), "\(text)")
    }
  }

  @Test func `a failure with a long text hides no other failure`() {
    let results = ["a long one", "wall rose", "rss.peak rose"].map { note in
      GateResult(
        subject: "scroll:default", summary: nil, comparison: nil,
        note: note + (note.hasPrefix("a") ? String(repeating: " that goes on", count: 40) : ""),
        status: .failed)
    }
    for detail in [Detail.screen, .brief] {
      let text = TextRenderer(detail: detail).render(Self.report(results).document(detail))
      #expect(text.contains("failure: scroll:default: a long one that goes on"), "\(text)")
      #expect(text.contains("failure: scroll:default: wall rose\n"), "\(text)")
      #expect(text.contains("failure: scroll:default: rss.peak rose\n"), "\(text)")
    }
  }

  @Test func `an accepted or harmless change of the rules is reported and fails nothing`() {
    let report = Self.report([
      Self.change(.loosened, decision: 7), Self.change(.renamed), Self.change(.changed),
    ])
    #expect(report.status == .done)
    #expect(report.sentence == "The gate passed: every finding was accepted by a decision.")
    #expect(report.findings.map(\.level) == [.warning, .notice, .notice])
    #expect(report.findings[1].message == "It is so. It is accepted by decision 7.")
    // A passed test case has no text in JUnit, so that each change is skipped with its note.
    let notes = [1, 2, 0].map { report.findings[$0].message }
    #expect(report.cases.map(\.outcome) == notes.map { .skipped($0) })
    #expect(report.digest.json.text().contains(#""decision" : 7"#))
  }

  @Test func `a comment that GitHub would refuse ends after a whole line with a count`() {
    // Each finding has a line of some 1,000 bytes.
    let results = (0..<100).map { index in
      GateResult(
        subject: "s\(index)", summary: nil, comparison: nil,
        note: String(repeating: "é", count: 500), status: .failed)
    }
    let comment = Self.report(results).digest.comment
    #expect(comment.utf8.count < 65_536)
    #expect(comment.hasPrefix(GateDigest.marker))
    let left = comment.firstMatch(of: /(\d+) lines left out: see verdict.json\.\n$/)
    let shown = comment.split(separator: "\n").count { $0.hasPrefix("- ❌") }
    // The findings are followed by an empty line.
    #expect(left.flatMap { Int($0.1) } == 100 - shown + 1)
    #expect(GateDigest.capped("a\nb") == "a\nb")
  }

  @Test func `a capped comment closes its folded section and shortens long lines`() {
    let rows = [String](repeating: String(repeating: "x", count: 999), count: 70)
    let text = (["<details><summary>70</summary>"] + rows + ["</details>"]).joined(separator: "\n")
    let capped = GateDigest.capped(text)
    // 64 rows of 1,000 bytes with their ends fit into 65,000 bytes beside the first line.
    #expect(capped.split(separator: "\n").count { $0.hasPrefix("x") } == 64)
    #expect(capped.hasSuffix("</details>\n\n7 lines left out: see verdict.json.\n"))
    let long = GateDigest.capped(String(repeating: "x", count: 70_000))
    #expect(long.hasPrefix(String(repeating: "x", count: 5_000) + "…"))
  }

  @Test func `GitHub receives ten annotations and the number of the others`() {
    func lines(_ count: Int) -> [String] {
      Self.report(
        (0..<count).map { index in
          GateResult(
            subject: "s\(index)", summary: nil, comparison: nil, note: "It broke.",
            status: .failed)
        }
      ).digest.annotations
    }
    #expect(lines(10).count == 10 && lines(10).allSatisfy { $0.hasPrefix("::error ") })
    #expect(lines(12).count == 11)
    #expect(lines(12).last == "::notice title=perfkit::2 more findings: see verdict.json")
  }

  @Test func `a stopped gate has a failed test case`() {
    let report = GateReport(results: [], status: .interrupted, scenarios: "Scenarios")
    #expect(report.cases.map(\.outcome) == [.error(report.sentence)])
    #expect(report.findings.map(\.level) == [.failure])
  }
}
