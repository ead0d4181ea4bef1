import Dispatch
import Foundation
import PerfModel
import PerfReport
import PerfStore
import PerfTestSupport
import Testing

@testable import perfkit

/// What a gate says of results that are made up, in all that it writes.
struct GateReportTests {
  private static func metric(
    _ name: String, _ estimate: Double, _ verdict: ComparisonVerdict, failures: Int = 0
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: name, dimension: .time, direction: .lower, scale: .ratio, summary: "A time."),
      base: 1e6, candidate: 1e6 * (1 + estimate), ratio: 1 + estimate, estimate: estimate,
      low: estimate - 0.01, high: estimate + 0.01, p: 0.001, n: (11, 11), margin: 0.02,
      isGating: true, verdict: verdict, decidedAt: 11, failures: failures)
  }

  private static func comparison(
    _ metrics: [MetricComparison], _ verdict: ComparisonVerdict? = nil, sessions: Int? = nil,
    differing: [Environment.Difference] = [], warnings: [RunWarning] = []
  ) -> Comparison {
    let side = Comparison.Side(
      run: "r1", scenario: "work", variant: "default", label: nil, commit: "abc",
      started: Timestamp(milliseconds: 0))
    return Comparison(
      id: "c1", base: side, candidate: side, alpha: 0.02, seed: 1,
      sessions: sessions, metrics: metrics, functions: [], environmentDifferences: differing,
      warnings: warnings,
      verdict: verdict
        ?? (metrics.contains { $0.verdict == .regressed } ? .regressed : .inconclusive))
  }

  /// A comparison of metrics, and a ledger that accepts those that are named.
  private static func judged(
    _ metrics: [MetricComparison], accepting names: [String], missing: [String] = [],
    warnings: [RunWarning] = []
  ) -> GateComparison {
    let comparison = Self.comparison(metrics, warnings: warnings)
    var decision = Decision(
      Self.comparison(metrics.filter { names.contains($0.definition.name) }), sentence: "",
      outcome: .kept, hypothesis: "", change: "", because: "It looks better.",
      decided: Timestamp(milliseconds: 0))
    decision.number = 4
    return GateComparison(
      comparison, gating: metrics.map(\.definition.name) + missing, ledger: [decision])
  }

  @Test func `what was taken back later is accepted no longer`() {
    func decision(_ number: Int, _ outcome: Decision.Resolution) -> Decision {
      var decision = Decision(
        Self.comparison([Self.regressed]), sentence: "", outcome: outcome, hypothesis: "",
        change: "", because: "So.", decided: Timestamp(milliseconds: 0))
      decision.number = number
      return decision
    }
    func judged(_ ledger: [Decision]) -> GateComparison {
      GateComparison(Self.comparison([Self.regressed]), gating: ["wall"], ledger: ledger)
    }
    #expect(judged([decision(1, .kept)]).accepted == ["wall": 1])
    #expect(judged([decision(1, .kept), decision(2, .reverted)]).accepted.isEmpty)
    #expect(judged([decision(1, .kept), decision(2, .noEffect)]).rest.verdict == .regressed)
    let again = [decision(1, .kept), decision(2, .reverted), decision(3, .kept)]
    #expect(judged(again).accepted == ["wall": 3])
    #expect(again.standing.map(\.number) == [3])
  }

  @Test func `what was accepted is known by its page where the store is another one`() throws {
    let perfkit = try TestCommand()
    let folder = perfkit.folder(DecisionPage.folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func decision(_ outcome: Decision.Resolution, _ because: String, _ time: Int64) -> Decision {
      Decision(
        Self.comparison([Self.regressed]), sentence: "", outcome: outcome, hypothesis: "",
        change: "", because: because, decided: Timestamp(milliseconds: time))
    }
    func write(_ decision: Decision, _ name: String) throws {
      try DecisionPage(decision).text.write(
        toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let mine = try RunStore(path: perfkit.folder("mine.sqlite"))
    // The sign that ends a comment does not end this one.
    let kept = try mine.append(decision(.kept, "Sharper --> better <b>.", 1))
    try write(kept, "0001-work-kept.md")
    // The command can be repeated as it stands.
    let again = "\n`perfkit compare c1` shows the comparison again.\n"
    #expect(DecisionPage(kept).text.contains(again))
    try "# By hand\n".write(toFile: "\(folder)/README.md", atomically: true, encoding: .utf8)
    let other = try RunStore(path: perfkit.folder("other.sqlite"))
    let pages = LedgerFolder(path: folder)
    #expect(try Ledger.decisions(in: mine, and: pages) == [kept])
    #expect(try Ledger.decisions(in: other, and: pages) == [kept])
    let nowhere = LedgerFolder(path: perfkit.folder("nowhere"))
    #expect(try Ledger.decisions(in: other, and: nowhere).isEmpty)
    // Later, elsewhere, under the same number.
    try other.append(decision(.reverted, "Nobody wants it.", 2))
    let ledger = try Ledger.decisions(in: other, and: pages)
    #expect(ledger.map(\.outcome) == [.kept, .reverted])
    #expect(ledger.standing.isEmpty)
  }

  @Test func `decisions of several stores at one time have numbers of their own`() throws {
    let perfkit = try TestCommand()
    let folder = LedgerFolder(path: perfkit.folder(DecisionPage.folder))
    let stores = try (0..<9).map { try RunStore(path: perfkit.folder("store-\($0).sqlite")) }
    // By their outcomes some pages of one number would have one name, others not.
    let outcomes: [Decision.Resolution] = [.kept, .reverted, .noEffect]
    DispatchQueue.concurrentPerform(iterations: stores.count) { index in
      let decision = Decision(
        Self.comparison([Self.regressed]), sentence: "", outcome: outcomes[index % 3],
        hypothesis: "", change: "", because: "So.", decided: Timestamp(milliseconds: Int64(index)))
      _ = try? folder.append(decision, to: stores[index])
    }
    let pages = folder.decisions
    #expect(pages.map(\.number).sorted() == Array(1...9))
    for store in stores {
      let own = try #require(try store.decisions().first)
      #expect(pages.contains(own))
    }
  }

  @Test func `a decision that has no place for its page is not in the store`() throws {
    let perfkit = try TestCommand()
    try "".write(toFile: perfkit.folder("file"), atomically: true, encoding: .utf8)
    let store = try RunStore.inMemory()
    // No file system of Linux has names of more than 255 bytes.
    let side = Comparison.Side(
      run: "r1", scenario: String(repeating: "x", count: 300), variant: "default", label: nil,
      commit: nil, started: Timestamp(milliseconds: 0))
    let decision = Decision(
      Comparison(
        id: "c1", base: side, candidate: side, alpha: 0.02, seed: 1, metrics: [], functions: [],
        environmentDifferences: [], warnings: [], verdict: .regressed),
      sentence: "", outcome: .kept, hypothesis: "", change: "", because: "So.",
      decided: Timestamp(milliseconds: 0))
    let error = #expect(throws: Failure.self) {
      try LedgerFolder(path: perfkit.folder("file")).append(decision, to: store)
    }
    #expect(error?.message.hasPrefix("cannot make the ledger's folder '") == true)
    // It is the page that cannot be written, not the store.
    try FileManager.default.createDirectory(
      atPath: perfkit.folder("own"), withIntermediateDirectories: false)
    for pages in ["made/for/it", "own", "own/pages"] {
      #expect(throws: ReportError.self) {
        try LedgerFolder(path: perfkit.folder(pages)).append(decision, to: store)
      }
    }
    #expect(try store.decisions().isEmpty)
    // What was made for the page is gone as well, and nothing else.
    #expect(!FileManager.default.fileExists(atPath: perfkit.folder("made")))
    #expect(try FileManager.default.contentsOfDirectory(atPath: perfkit.folder("own")).isEmpty)
  }

  private static func report(_ comparison: GateComparison) -> GateReport {
    let status = perfkit.ExitStatus(comparison.rest.verdict)
    return GateReport(
      results: [
        GateResult(
          subject: "work:default", summary: nil, comparison: comparison, note: "comparison c1",
          status: status)
      ], status: status, scenarios: "Scenarios")
  }

  private static let regressed = metric("wall", 0.10, .regressed)
  private static let equivalent = metric("cpu.total", 0, .equivalent)

  @Test func `an annotation is one line, whatever its message is`() {
    let finding = GateFinding(
      file: "a.yml", subject: "s:v", topic: "t", message: "a\r\nb\u{600}%", level: .warning)
    let line = "::warning file=a.yml,title=perfkit%3A s%3Av::a%0D%0Ab\u{600}%25"
    #expect(finding.annotation.utf8.elementsEqual(line.utf8), "\(finding.annotation)")
  }

  @Test func `an accepted regression is shown as accepted and fails nothing`() throws {
    let report = Self.report(
      Self.judged([Self.regressed, Self.equivalent], accepting: ["wall"]))
    #expect(report.status == .done)
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(finding.message == "Accepted: wall from 1 ms to 1.1 ms (+10%) by decision 4.")
    #expect(finding.annotation.hasPrefix("::notice file=Scenarios/work.yml,"))
    #expect(finding.codeQuality.text().contains(#""severity" : "info""#))
    #expect(report.cases.allSatisfy { $0.outcome == .passed })
    #expect(report.cases.contains { $0.name == "wall against the base, accepted by decision 4" })
    #expect(report.comment.contains("everything that was judged holds or was accepted."))
    #expect(report.comment.contains("- ☑️ **work:default**: Accepted: wall"))
    #expect(report.comment.contains("**accepted** |"))
    #expect(!report.comment.lowercased().contains("regressed"))
    let json = report.json.text(isIndented: false)
    #expect(json.contains(#""accepted":[{"decision":4,"metric":"wall"}]"#), "\(json)")
  }

  @Test func `a control function that cannot be looked at is seen, and turns nothing red`() {
    let unseen = RunWarning(
      code: "comparison.control_unseen", message: "the control function 'scan' cannot be looked at",
      remedy: "Measure without --no-profile.")
    let report = Self.report(
      Self.judged([Self.regressed, Self.equivalent], accepting: ["wall"], warnings: [unseen]))
    #expect(report.status == .done)
    #expect(report.findings.map(\.level) == [.warning, .notice])
    let sentence = "Note: the control function 'scan' cannot be looked at."
    #expect(report.comment.contains("\(sentence) Measure"), "\(report.comment)")
  }

  @Test func `what regressed beside an accepted regression is red as before`() {
    let report = Self.report(
      Self.judged([Self.regressed, Self.metric("cpu.total", 0.2, .regressed)], accepting: ["wall"]))
    #expect(report.status == .gateFailed)
    #expect(report.findings.map(\.level) == [.failure, .notice])
    #expect(report.findings.first?.message == "Regressed: cpu.total from 1 ms to 1.2 ms (+20%).")
    #expect(
      report.cases.filter { $0.outcome != .passed }.map(\.name) == ["cpu.total against the base"])
  }

  @Test func `without a control that was measured as planned nothing passes`() {
    let unknown = RunWarning(
      code: "comparison.control_unknown", message: "scan was not measured as planned")
    let sentence = "Inconclusive: scan was not measured as planned."
    let report = Self.report(
      Self.judged(
        [Self.regressed, Self.equivalent], accepting: ["wall"], warnings: [unknown]))
    #expect(report.status == .inconclusive)
    #expect(report.findings.map(\.level) == [.warning, .notice])
    #expect(report.findings.first?.message == sentence)
    // The control itself says so as well, though nobody asked how it did.
    let whole = Self.comparison([Self.equivalent], .inconclusive, warnings: [unknown])
    let control = GateReport(
      results: [
        GateResult(
          subject: "scan:default", summary: nil,
          comparison: GateComparison(whole, gating: ["cpu.total"]),
          note: "control, not measured as planned", status: .inconclusive, isControl: true)
      ], status: .inconclusive, scenarios: "Scenarios")
    #expect(control.findings.map(\.message) == [sentence])
  }

  @Test func `what may be noise is folded away with a question mark`() {
    let report = Self.report(
      Self.judged(
        [Self.regressed, Self.metric("rss.peak", 0.03, .inconclusive)], accepting: []))
    let lines = report.comment.split(separator: "\n").map(String.init)
    #expect(lines.contains("| work:default | wall | 1 ms | 1.1 ms | **+10%** | **regressed** |"))
    #expect(
      lines.contains("<details><summary>1 not decided; ? is probably noise</summary>"),
      "\(report.comment)")
    #expect(
      lines.contains("| work:default | rss.peak | 1 ms | 1.03 ms | +3% ? | inconclusive |"),
      "\(report.comment)")
  }

  @Test(arguments: [perfkit.ExitStatus.inconclusive, .done])
  func `launches that did not complete are seen wherever a gate writes`(status: perfkit.ExitStatus)
  {
    let whole = Self.comparison([
      Self.metric("wall", -0.0178, .inconclusive, failures: 1)
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
    #expect(report.comment.contains("- ❔ **work:default**: \(loss)\n"), "\(report.comment)")
    #expect(report.comment.contains("Inconclusive: launches that failed lack wall, and "))
    #expect(
      report.comment.contains(
        "1 not decided; ? is probably noise, or leaves out launches that failed</summary>"))
    #expect(
      report.cases.contains(
        .init(suite: "work:default", name: "launches", outcome: .skipped(loss))))
    #expect(report.json.text().contains(loss))
  }

  @Test func `of a void comparison no metric is said to have regressed`() {
    let whole = Self.comparison([Self.regressed], .void)
    let comment = Self.report(GateComparison(whole, gating: ["wall"])).comment
    #expect(comment.contains("| +10% ? | void |"), "\(comment)")
    #expect(!comment.contains("regressed"))
  }

  @Test func `what the spread of a baseline may hide is said beside a green gate`() {
    // Intervals end a percentage point to either side of the estimate, and the margin is 2 %.
    let metrics = [Self.metric("wall", 0.02, .equivalent), Self.equivalent]
    let whole = Self.comparison(metrics, .equivalent, sessions: 5)
    let report = Self.report(GateComparison(whole, gating: ["wall", "cpu.total"]))
    #expect(report.status == .done && report.findings.isEmpty)
    let words = "The spread of 5 sessions may hide a change beyond the margin in wall"
    #expect(
      report.comment.contains("**work:default**: \(words) (\\[+1%, +3%\\])."), "\(report.comment)")
    let document = ComparisonDocument(whole)
    #expect(
      document.verdictSentence
        == "Equivalent: nothing that gates in work:default lies beyond the spread of the baseline "
        + "by its margin or more. \(words) ([+1%, +3%]).")
    let caption = document.document.blocks.compactMap { block -> String? in
      if case .table(let table) = block { table.caption } else { nil }
    }.first
    #expect(caption?.hasSuffix("n sessions of the baseline + launches of the candidate.") == true)
    // What lies within the margin is told by its interval, and so are pairs.
    for certain in [
      Self.comparison([Self.equivalent], .equivalent, sessions: 5),
      Self.comparison(metrics, .equivalent),
    ] {
      #expect(
        ComparisonDocument(certain).verdictSentence
          == "Equivalent: work:default differs in no gating metric by its margin or more.")
    }
  }

  @Test func `what was allowed to differ is seen beside a green gate`() throws {
    let difference = Environment.Difference(
      key: "cpu.model", base: "A", candidate: "B", voids: true)
    let noted = Environment.Difference(key: "host", base: "a", candidate: "b", voids: false)
    let whole = Self.comparison(
      [Self.equivalent], .equivalent, differing: [difference, noted],
      warnings: [RunWarning(code: "comparison.environments_allowed", message: "They differ.")])
    let report = Self.report(GateComparison(whole, gating: ["cpu.total"]))
    #expect(report.status == .done)
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1 && finding.level == .warning)
    #expect(
      finding.message
        == "Compared although the environments differ, as was allowed: "
        + "cpu.model was 'A' and is 'B'.")
    #expect(report.comment.contains("- ❔ **work:default**: Compared although"))
    let tables = report.document.blocks.compactMap { block -> Table? in
      if case .table(let table) = block, table.id == "differences" { table } else { nil }
    }
    let rows = try #require(tables.first).groups.flatMap(\.rows)
    #expect(rows.map { $0.last?.text } == ["allowed", "noted"])
    // Without that it is void, which is a finding of its own.
    let void = Self.comparison([Self.equivalent], .void, differing: [difference])
    let other = Self.report(GateComparison(void, gating: ["cpu.total"]))
    #expect(other.findings.count == 1 && other.findings[0].message.hasPrefix("Void: cpu.model"))
  }

  @Test func `a metric that nobody measured stays missing when the rest is accepted`() {
    let judged = Self.judged([Self.regressed], accepting: ["wall"], missing: ["rss.peak"])
    #expect(judged.rest.verdict == .inconclusive)
    let report = Self.report(judged)
    #expect(report.findings.contains { $0.message.contains("not measured: rss.peak.") })
    #expect(
      report.cases.contains {
        $0.name == "rss.peak against the base" && $0.outcome == .skipped("nobody measured it")
      })
    #expect(Self.judged([Self.regressed], accepting: ["wall"]).rest.verdict == .equivalent)
  }

  @Test(
    arguments: [
      (.failed, .failure, .error("it broke")), (.void, .warning, .skipped("it broke")),
      (.gateFailed, .failure, .failed("it broke")),
      (.inconclusive, .warning, .skipped("it broke")),
    ] as [(perfkit.ExitStatus, GateFinding.Level, JUnitRenderer.Outcome)])
  func `a result that is not green always has a finding and a case that say why`(
    status: perfkit.ExitStatus, level: GateFinding.Level, outcome: JUnitRenderer.Outcome
  ) {
    let report = GateReport(
      results: [
        GateResult(
          subject: "work:default", summary: nil, comparison: nil, note: "it broke", status: status)
      ], status: status, scenarios: "Scenarios")
    #expect(report.findings.map(\.level) == [level])
    #expect(report.findings.map(\.message) == ["it broke"])
    #expect(
      report.cases == [.init(suite: "work:default", name: "judged", outcome: outcome)])
  }

  @Test func `what is wrong with the gate as a whole is shown at its own file, with its log`()
    throws
  {
    let report = GateReport(
      results: [.failed("gate", Failure("It does not build:\n  a < b *c*"), isOfScenario: false)],
      status: .failed, scenarios: "Scenarios")
    #expect(report.findings.first?.file == "perfkit.yml")
    #expect(report.comment.contains("### ❌ The gate cannot judge.\n"))
    #expect(
      report.comment.contains("- ❌ **gate**: It does not build:\n\n        a < b *c*\n"),
      "\(report.comment)")
    #expect(report.cases.map(\.suite) == ["gate"])
  }

  @Test func `a gate that was stopped is no empty list of tests`() {
    let report = GateReport(results: [], status: .interrupted, scenarios: "Scenarios")
    #expect(report.cases.map(\.outcome) == [.error(report.sentence)])
    #expect(report.findings.map(\.level) == [.failure])
  }
}
