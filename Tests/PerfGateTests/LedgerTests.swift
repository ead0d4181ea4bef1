import Dispatch
import Foundation
import PerfModel
import PerfReport
import PerfStore
import PerfTestSupport
import Testing

@testable import PerfGate

/// The decisions of stores and pages.
struct LedgerTests {
  private static func decision(
    _ outcome: Decision.Resolution, _ because: String = "So.", _ time: Int64 = 0
  ) -> Decision {
    Decision(
      MadeUpComparisons.comparison([MadeUpComparisons.regressed]), sentence: "", outcome: outcome,
      hypothesis: "", change: "", because: because, decided: Timestamp(milliseconds: time))
  }

  @Test func `a reverted decision no longer accepts a regression`() {
    func decision(_ number: Int, _ outcome: Decision.Resolution) -> Decision {
      var decision = Self.decision(outcome)
      decision.number = number
      return decision
    }
    func judged(_ ledger: [Decision]) -> GateComparison {
      GateComparison(
        MadeUpComparisons.comparison([MadeUpComparisons.regressed]), gating: ["wall"],
        ledger: ledger)
    }
    #expect(judged([decision(1, .kept)]).accepted == ["wall": 1])
    #expect(judged([decision(1, .kept), decision(2, .reverted)]).accepted.isEmpty)
    #expect(judged([decision(1, .kept), decision(2, .noEffect)]).rest.verdict == .regressed)
    let again = [decision(1, .kept), decision(2, .reverted), decision(3, .kept)]
    #expect(judged(again).accepted == ["wall": 3])
    #expect(again.standing.map(\.number) == [3])
  }

  @Test func `more work beside an accepted regression of time names the acceptance`() {
    var comparison = MadeUpComparisons.comparison([MadeUpComparisons.regressed])
    var decision = Self.decision(.kept)
    decision.number = 4
    comparison.work = WorkComparison(
      metrics: [MadeUpComparisons.metric("work.instructions", 0.3, .regressed)], functions: [],
      nondeterminism: .init(base: 0, candidate: 0), isDeterministic: true, isAlone: false,
      verdict: .regressed)
    let judged = GateComparison(comparison, gating: ["wall"], ledger: [decision])
    #expect(judged.accepted == ["wall": 4])
    #expect(judged.openSentence == "Does 30% more work, time accepted.")
    let open = GateComparison(comparison, gating: ["wall"])
    #expect(open.openSentence.hasPrefix("Does 30% more work, time regressed: wall rose by 10%"))
  }

  @Test func `a regression that is worse than the accepted one names the decision`() {
    let accepted = MadeUpComparisons.comparison([MadeUpComparisons.regressed])
    var decision = Decision(
      accepted, sentence: "", outcome: .kept, hypothesis: "", change: "", because: "So.",
      decided: Timestamp(milliseconds: 0))
    decision.number = 4
    // 30 % instead of the accepted 10 %.
    let worse = GateComparison(
      MadeUpComparisons.comparison([MadeUpComparisons.metric("wall", 0.3, .regressed)]),
      gating: ["wall"], ledger: [decision])
    #expect(worse.accepted.isEmpty)
    #expect(worse.notes == ["wall is worse than decision 4 accepts"])
  }

  @Test func `another store knows a decision by its page`() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary(DecisionPage.folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func write(_ decision: Decision, _ name: String) throws {
      try DecisionPage(decision).text.write(
        toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let mine = try RunStore(path: temporary("mine.sqlite"))
    // The end sign of a comment inside of the reason does not end the page's comment.
    let kept = try mine.append(Self.decision(.kept, "Sharper --> better <b>.", 1))
    try write(kept, "0001-work-kept.md")
    // The command can be repeated as it is printed.
    let again = "\n`perfkit compare c1` shows the comparison again.\n"
    #expect(DecisionPage(kept).text.contains(again))
    // The page is Markdown, in which the reason has neither elements nor escape sequences.
    #expect(DecisionPage(kept).text.contains("\n## Reason\n\nSharper --> better &lt;b>.\n"))
    let escape = DecisionPage(Self.decision(.kept, "\u{1B}[31mRed\nand two lines"))
    #expect(escape.text.contains("\n [31mRed\nand two lines\n"))
    try "# By hand\n".write(toFile: "\(folder)/README.md", atomically: true, encoding: .utf8)
    let other = try RunStore(path: temporary("other.sqlite"))
    let pages = LedgerFolder(path: folder)
    #expect(try Ledger.decisions(in: mine, and: pages) == [kept])
    #expect(try Ledger.decisions(in: other, and: pages) == [kept])
    let nowhere = LedgerFolder(path: temporary("nowhere"))
    #expect(try Ledger.decisions(in: other, and: nowhere).isEmpty)
    // A later decision in another store may have the same number.
    try other.append(Self.decision(.reverted, "It is not needed.", 2))
    let ledger = try Ledger.decisions(in: other, and: pages)
    #expect(ledger.map(\.outcome) == [.kept, .reverted])
    #expect(ledger.standing.isEmpty)
  }

  @Test func `the page of a decision has no control characters and keeps its texts`() {
    let decision = Self.decision(.kept, "\u{9B}31mRed\u{7F}\u{85}\u{1B} -->")
    let text = DecisionPage(decision).text
    let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control }
    #expect(controls.allSatisfy { $0 == "\n" })
    #expect(DecisionPage.decision(of: text) == decision)
  }

  @Test func `simultaneous decisions of several stores receive different numbers`() throws {
    let temporary = try TemporaryFolder()
    let folder = LedgerFolder(path: temporary(DecisionPage.folder))
    let stores = try (0..<9).map { try RunStore(path: temporary("store-\($0).sqlite")) }
    // The outcome is part of a page's name: some pages of one number would have the same name.
    let outcomes: [Decision.Resolution] = [.kept, .reverted, .noEffect]
    DispatchQueue.concurrentPerform(iterations: stores.count) { index in
      let decision = Self.decision(outcomes[index % 3], "So.", Int64(index))
      _ = try? folder.append(decision, to: stores[index])
    }
    let pages = folder.decisions
    #expect(pages.map(\.number).sorted() == Array(1...9))
    for store in stores {
      let own = try #require(try store.decisions().first)
      #expect(pages.contains(own))
    }
  }

  @Test func `a decision whose page cannot be written is not stored`() throws {
    let temporary = try TemporaryFolder()
    try "".write(toFile: temporary("file"), atomically: true, encoding: .utf8)
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
      try LedgerFolder(path: temporary("file")).append(decision, to: store)
    }
    #expect(error?.message.hasPrefix("cannot make the folder of decisions '") == true)
    // The page cannot be written, though the store could.
    try FileManager.default.createDirectory(
      atPath: temporary("own"), withIntermediateDirectories: false)
    for pages in ["made/for/it", "own", "own/pages"] {
      #expect(throws: ReportError.self) {
        try LedgerFolder(path: temporary(pages)).append(decision, to: store)
      }
    }
    #expect(try store.decisions().isEmpty)
  }
}
