internal import Foundation
internal import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The comparison as one HTML file that needs no network.
  ///
  /// Without the two runs it contains the tables and intervals, but no figures of frames, memory or
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
        .init(id: "sides", title: "Base and candidate", parts: sideParts),
        .init(id: "values", title: "Metrics", parts: metricParts),
        .init(id: "frames", title: "Frames", parts: frameParts),
        .init(id: "resources", title: "Memory and CPU", parts: seriesParts),
        .init(id: "profile", title: "CPU time", parts: profileParts(flame)),
        .init(id: "machine", title: "Samplers", parts: auditParts),
        .init(
          id: "reproduce", title: "Reproduce",
          parts: [.code(command)]),
      ],
      data: (flame.map { [("flame-data", $0.json(significant: significantKeys))] } ?? [])
        + (evidence.flatMap(Self.json).map { [(Self.evidenceID, $0)] } ?? []))
  }

  /// Returns the statements of an HTML report that differ from this comparison.
  ///
  /// - Parameter report: The report as HTML.
  /// - Returns: A line for the verdict and one for the metrics; empty if the report shows both.
  /// - Throws: `ReportError.template`.
  public func contradictions(in report: String) throws(ReportError) -> [String] {
    // A reader does not see comments.
    let report = report.replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
    var lines: [String] = []
    if !report.contains(HTMLRenderer.verdict(headline, Tone(comparison.verdict))) {
      lines.append("the report does not show: \(headline)")
    } else if report.ranges(of: "class=\"verdict").count > 1 {
      lines.append("the report shows another verdict in addition to: \(headline)")
    }
    if let metricTable {
      let table = try HTMLRenderer().page(metricTable.titled(""))
      if !report.contains(table) { lines.append("its table of metrics shows other values") }
    }
    return lines
  }

  /// The ID of the element with the launches.
  public static let evidenceID = "evidence"

  private static func json(_ evidence: PairedEvidence) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Slashes are escaped, so the content cannot end the element.
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

  /// The facts of both sides.
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

  /// The parameters with different values.
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

  /// The distributions of frame costs of both sides; nil without frames.
  var distributionFigure: Figure? {
    guard let runs else { return nil }
    return FrameFigures.distribution([
      ("base", .base, runs.base.measured), ("candidate", .candidate, runs.candidate.measured),
    ])
  }

  /// Returns a series of both sides; nil if neither side has it.
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
            note:
              "The width is the CPU time of both sides together, so removed code stays visible. "
              + "Red grew and blue shrank in CPU time per launch." + flame.pruningNote,
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
