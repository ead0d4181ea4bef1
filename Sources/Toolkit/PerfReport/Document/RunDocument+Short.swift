internal import PerfModel
internal import PerfStatistics

/// The run in one screen or less.
extension RunDocument {
  /// Returns the run as text and tables, at most as long as requested.
  public func document(_ detail: Detail) -> Document {
    guard detail != .all else { return document }
    let isBrief = detail == .brief
    let isLost = run.measured.isEmpty && !failures.isEmpty
    let note = shortNote(lines: isLost ? (isBrief ? 3 : 6) : (isBrief ? 2 : 3))
    let hottest = isBrief && note == nil ? hotTable?.rows.first : nil
    let facts = [hottest.map { Document.Fact("hottest", Self.words($0)) }, shortFact]
    // The note takes the lines of other parts.
    let limit = isLost || note != nil ? (isBrief ? 1 : 2) : isBrief ? 3 : 5
    // If no launch completed, the reasons replace the hot functions; the stack of a crash is the reason.
    let hasCrash = warnings.contains(where: \.isOfCrash)
    let last = isLost ? (hasCrash ? nil : shortFailureTable) : hotTable
    return Document(
      title: run.subject,
      blocks: [.verdict(shortVerdict, verdictTone)]
        + [note.map(Document.Block.paragraph)].compactMap(\.self)
        + Document.Block.each([checkTable, shortMetricTable(limit), isBrief ? nil : last])
        + [.facts(facts.compactMap(\.self))] + Document.Block.end(warnings, reportPath))
  }

  /// The verdict without the values of the budgets, which have rows of their own.
  private var shortVerdict: String {
    let broken = budgets.count { $0.verdict == .broken }
    guard broken > 0 else { return verdictSentence }
    return "\(run.subject) breaks \(broken) of \(Wording.count(budgets.count, "budget"))."
      + (lossSentence.map { " \($0)" } ?? "")
  }

  private var shortFact: Document.Fact {
    .init("all", "perfkit show \(run.id); \(launches)\(fewSamples)")
  }

  /// The number of samples of CPU time if it is below 100; else empty.
  ///
  /// By Clopper and Pearson, half of the 95 % interval of a share of one half is then more than ten points.
  private var fewSamples: String {
    guard let profile = run.profile, profile.measure.hasSamples else { return "" }
    let samples = profile.runningSamples
    return (1..<100).contains(samples) ? "; \(Wording.count(samples, "sample"))" : ""
  }

  /// Returns the warning without which the figures mislead, as much of it as fits into lines of 80 columns:
  /// the stack of the first crash, or that the program was another one; nil without one.
  private func shortNote(lines limit: Int) -> String? {
    guard
      let warning = warnings.first(where: \.isOfCrash) ?? warnings.first(where: \.isOfProgram)
    else { return nil }
    let lines = TextWrapping.lines(
      of: Wording.sentence(warning.message), width: 79, keepsWords: true)
    return lines.prefix(limit).joined(separator: " ") + (lines.count > limit ? "…" : "")
  }

  private static func words(_ row: [Table.Cell]) -> String {
    row.map(\.text).joined(separator: "  ")
  }

  // MARK: - Tables

  /// The budgets and expectations, the broken ones first, in at most four rows.
  private var checkTable: Table? {
    let checks = (budgets.map(Self.check) + Table.checks(of: expectations))
      .enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element)
    guard !checks.isEmpty else { return nil }
    let limit = checks.count > 4 ? 3 : 4
    let rest = Dictionary(grouping: checks.dropFirst(limit), by: \.word).map { word, checks in
      (checks[0].rank, "\(checks.count) \(word)")
    }.sorted { $0 < $1 }.map(\.1)
    return Table(
      id: "checks", title: "",
      columns: [.init(""), .init("", isFlexible: true), .init("", isFlexible: true)],
      rows: checks.prefix(limit).map { [.init($0.word, $0.tone), .init($0.text), .init($0.value)] }
        + (rest.isEmpty
          ? [] : [[.init("", .muted), .init("and \(Wording.list(rest))", .muted), .init("")]]))
  }

  private static func check(_ result: BudgetResult) -> Check {
    let measured = Wording.measured(result)
    let rank = [BudgetVerdict.broken, .unknown, .held].firstIndex(of: result.verdict) ?? 0
    return Check(
      rank: rank, word: result.verdict.rawValue, tone: Tone(result.verdict),
      text: result.budget.description,
      value: measured.interval == Wording.nothing
        ? measured.value : "\(measured.value) \(measured.interval)")
  }

  /// Returns the most important metrics, with a bar for each launch.
  private func shortMetricTable(_ limit: Int) -> Table? {
    let chosen = rankedMetrics.prefix(limit)
    guard !chosen.isEmpty else { return nil }
    return Table(
      id: "metrics", title: "",
      columns: [
        .init("metric", isFlexible: true), .init("median", .trailing), .init("95 % CI", .trailing),
        .init("launches"),
      ],
      rows: chosen.map { metric in
        let bars = Sparkline.text(of: metric.values, width: Self.barWidth, from: 0)
        return Self.cells(of: metric).dropLast() + [.init(bars, .muted)]
      })
  }

  /// The first two launches that did not complete, with the beginnings of their reasons.
  private var shortFailureTable: Table {
    let others = failures.count - 2
    return Table(
      id: "failures", title: "",
      columns: [.init("launch", .trailing), .init("end", isProse: true)],
      rows: failures.prefix(2).map { launch in
        [
          .init("\(launch.index)"),
          .init(TextWrapping.begun(launch.status.description, to: 120), .bad),
        ]
      } + (others > 0 ? [[.init(""), .init("and \(others) more", .muted)]] : []))
  }

  private static let barWidth = 12

  /// The three functions with the most CPU time, or the most counted work; more without budgets.
  private var hotTable: Table? {
    let left: Set<String> = ["±", "total", "differ by"]
    let hot = functionTable ?? workTable
    return checkTable == nil
      ? hot.map { $0.short(rows: 7, without: left).titled($0.title) }
      : hot?.short(rows: 3, without: left)
  }
}

/// A budget or an expectation with its result in words.
struct Check {
  /// The order: the worst first.
  let rank: Int
  let word: String
  let tone: Tone
  let text: String
  let value: String
}

extension Table {
  /// Returns the first rows of the table without its title, caption and some columns.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of rows.
  ///   - titles: The titles of the columns that are left out.
  /// - Returns: The table.
  func short(rows limit: Int, without titles: Set<String>) -> Table {
    let kept = columns.indices.filter { !titles.contains(columns[$0].title) }
    return Table(
      id: id, title: "", columns: kept.map { columns[$0] },
      rows: rows.prefix(limit).map { row in kept.map { row[$0] } })
  }
}
