internal import Foundation
internal import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The comparison as one offline HTML file.
  ///
  /// Without the two runs it has the tables and the intervals, but no picture of frames, memory or
  /// profiles.
  ///
  /// - Throws: `ReportError.template`.
  public func html() throws(ReportError) -> String {
    try HTMLRenderer().render(page)
  }

  private var page: HTMLPage {
    let flame = flameData
    return HTMLPage(
      title: title, kind: "perfkit comparison", verdict: headline,
      because: culpritSentence ?? "", tone: Tone(comparison.verdict), facts: designFacts,
      sections: [
        .init(id: "sides", title: "What was compared", parts: sideParts),
        .init(id: "values", title: "Metrics", parts: metricParts),
        .init(id: "frames", title: "Frames", parts: frameParts),
        .init(id: "resources", title: "Memory and CPU", parts: seriesParts),
        .init(id: "profile", title: "Where the time went", parts: profileParts(flame)),
        .init(id: "machine", title: "Samplers", parts: auditParts),
        .init(
          id: "reproduce", title: "Reproduce",
          parts: [.code(command)]),
      ],
      data: (flame.map { [("flame-data", $0.json(significant: significantKeys))] } ?? [])
        + (evidence.flatMap(Self.json).map { [(Self.evidenceID, $0)] } ?? []))
  }

  /// Says what a report of this comparison shows otherwise than it is.
  ///
  /// A report of `PairedEvidence.olderForm` may say the same in other words: of its verdict as
  /// `olderHeadline` has it, of its metrics with intervals of differences without their units, and with
  /// the pairs at which inconclusive ones were given up.
  ///
  /// - Parameters:
  ///   - report: The report as HTML.
  ///   - isOlder: Whether it is of that form.
  /// - Returns: A line for the verdict and one for the metrics; none where both are shown as they are.
  /// - Throws: `ReportError.template`.
  public func contradictions(
    in report: String, isOlder: Bool = false
  ) throws(ReportError) -> [String] {
    // What a reader does not see says nothing.
    let report = report.replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
    var lines: [String] = []
    let tone = Tone(comparison.verdict)
    let headlines = isOlder ? [headline, olderHeadline] : [headline]
    if !headlines.contains(where: { report.contains(HTMLRenderer.verdict($0, tone)) }) {
      lines.append("the report does not say: \(headline)")
    } else if report.ranges(of: "class=\"verdict").count > 1 {
      lines.append("the report has another verdict beside: \(headline)")
    }
    if let metricTable, let olderMetricTable {
      let renderer = try HTMLRenderer()
      var isShown = report.contains(try renderer.page(metricTable.titled("")))
      if isOlder, !isShown {
        isShown = report.contains(try renderer.page(olderMetricTable.titled("")))
      }
      if !isShown { lines.append("its table of metrics shows something else") }
    }
    return lines
  }

  /// The id of the element of a report that has the launches.
  public static let evidenceID = "evidence"

  private static func json(_ evidence: PairedEvidence) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Slashes are escaped, so nothing in it can end the element.
    return (try? encoder.encode(evidence)).map { String(decoding: $0, as: UTF8.self) }
  }

  private var command: String {
    comparison.pairing == nil
      ? "perfkit compare run:\(comparison.base.run) run:\(comparison.candidate.run)"
      : "perfkit compare \(comparison.id)"
  }

  private var runs: (base: Run, candidate: Run)? {
    guard let base = base?.run, let candidate = candidate?.run else { return nil }
    return (base, candidate)
  }

  // MARK: Sides

  private var sideParts: [HTMLPage.Part] {
    var parts: [HTMLPage.Part] = [.table(sideTable)]
    if let table = environmentTable { parts.insert(.table(table), at: 0) }
    if !warnings.isEmpty { parts.append(.warnings(warnings)) }
    if let noise { parts.append(.note("Noise: \(noise.summary).")) }
    return parts
  }

  /// Both sides, fact by fact.
  private var sideTable: Table {
    let sides = [comparison.base, comparison.candidate]
    let documents = [base, candidate]
    let row = { (name: String, values: [String]) -> [Table.Cell] in
      [.init(name, .muted)] + values.map { .init($0) }
    }
    var rows = [
      row("subject", sides.map { "\($0.scenario):\($0.variant)" }),
      row("run", sides.map(\.run)),
      row("label", sides.map { $0.label ?? Wording.nothing }),
      row("commit", sides.map { Wording.commit($0.commit) ?? Wording.nothing }),
      row("started", sides.map { $0.started.short + " UTC" }),
      row("launches", documents.map { $0.map { "\($0.run.measured.count)" } ?? Wording.nothing }),
    ]
    rows += parameterRows.map { row($0.name, [$0.base, $0.candidate]) }
    if documents.contains(where: { $0?.budgets.isEmpty == false }) {
      let verdicts = documents.map { document -> Table.Cell in
        document.map { .init($0.verdict.rawValue, Tone($0.verdict)) } ?? .init(Wording.nothing)
      }
      rows.append([.init("budgets", .muted)] + verdicts)
    }
    rows.removeAll { row in row.dropFirst().allSatisfy { $0.text == Wording.nothing } }
    return Table(
      id: "both-sides", title: "", columns: [.init(""), .init("base"), .init("candidate")],
      rows: rows)
  }

  /// The parameters in which the runs differ.
  private var parameterRows: [(name: String, base: String, candidate: String)] {
    guard let runs else { return [] }
    let names = Set(runs.base.parameters.keys).union(runs.candidate.parameters.keys).sorted()
    return names.compactMap { name in
      let (old, new) = (runs.base.parameters[name], runs.candidate.parameters[name])
      guard old != new else { return nil }
      return (name, old?.description ?? Wording.nothing, new?.description ?? Wording.nothing)
    }
  }

  // MARK: Figures

  private var metricParts: [HTMLPage.Part] {
    let decisive = comparison.metrics.filter { $0.isGating || $0.verdict != .equivalent }
    let shown = decisive.filter { $0.definition.direction != .neutral }.prefix(24)
    let figure = MetricFigures.forest(Array(shown))
    return (figure.map { [.figure($0)] } ?? [])
      + [metricTable].compactMap { $0.map { HTMLPage.Part.table($0.titled("")) } }
  }

  private var frameParts: [HTMLPage.Part] {
    guard let runs else { return [] }
    let sides = [("base", runs.base), ("candidate", runs.candidate)]
    let middle = sides.map { $0.1.middleLaunch }
    let highest = middle.compactMap { $0.flatMap(FrameFigures.top) }.max()
    let timelines = zip(sides, middle).compactMap { side, launch in
      launch.flatMap { FrameFigures.timeline(of: $0, highest: highest, side: side.0) }
    }
    return [distributionFigure].compactMap { $0.map(HTMLPage.Part.figure) }
      + [FrameTables.quantiles(sides.map { ($0.0, $0.1.measured) })].compactMap {
        $0.map(HTMLPage.Part.table)
      }
      + timelines.map(HTMLPage.Part.figure)
  }

  /// The distributions of frame costs over each other; nil without frames.
  var distributionFigure: Figure? {
    guard let runs else { return nil }
    return FrameFigures.distribution([
      ("base", .base, runs.base.measured), ("candidate", .candidate, runs.candidate.measured),
    ])
  }

  /// A series of both sides; nil when neither has it.
  func seriesFigure(_ name: String) -> Figure? {
    guard let runs else { return nil }
    return SeriesFigures.figure(
      named: name,
      sides: [
        .init(name: "base", role: .base, launches: runs.base.measured),
        .init(name: "candidate", role: .candidate, launches: runs.candidate.measured),
      ], limit: name == "rss" ? candidate?.memoryLimit : nil)
  }

  private var seriesParts: [HTMLPage.Part] {
    guard let runs else { return [] }
    let others = SeriesFigures.otherNames(
      in: runs.base.measured + runs.candidate.measured, than: ["rss", "cpu"])
    let figures = (["rss", "cpu"] + others).compactMap(seriesFigure)
    return figures.isEmpty ? [] : [.figures(figures)]
  }

  // MARK: Profiles

  private var flameData: FlameData? {
    guard let runs, let before = runs.base.profile, let after = runs.candidate.profile else {
      return nil
    }
    return FlameData(
      base: before, baseLaunches: runs.base.sampled.count, candidate: after,
      candidateLaunches: runs.candidate.sampled.count)
  }

  private var significantKeys: Set<String>? {
    comparison.functions.isEmpty
      ? nil : Set(comparison.functions.filter(\.isSignificant).map(\.key))
  }

  private func profileParts(_ flame: FlameData?) -> [HTMLPage.Part] {
    var parts: [HTMLPage.Part] = []
    if let flame, !flame.rows.isEmpty {
      parts.append(
        .flame(
          .init(
            id: "flame", title: "Differential flame graph",
            note: "Width is the CPU time of both sides together, so code that is gone is seen, "
              + "too. Red grew, blue shrank, in CPU time a launch." + flame.pruningNote,
            source: "flame-data", onlyMissedFrames: false, isDifference: true)))
    }
    return parts + [functionTable].compactMap { $0.map(HTMLPage.Part.table) }
  }

  private var auditParts: [HTMLPage.Part] {
    let sides = [("base", base), ("candidate", candidate)]
    let tables = sides.compactMap { name, document -> Table? in
      document?.auditTable.map { table in
        Table(
          id: "audit-\(name)", title: "Sampler of the \(name)", columns: table.columns,
          groups: table.groups)
      }
    }
    return tables.isEmpty ? [] : [.tables(tables)]
  }
}
