internal import Foundation
internal import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The comparison as one HTML file that needs no network.
  ///
  /// Without the two runs it contains the tables and intervals, but no figures of frames, memory or
  /// profiles.
  public func html() -> String { HTMLRenderer().render(page) }

  private var page: HTMLPage {
    let flame = flameData
    return HTMLPage(
      title: title, kind: "perfkit comparison", verdict: headline,
      because: culpritSentence ?? "", tone: Tone(comparison.combined), facts: designFacts,
      sections: [
        .init(id: "sides", title: "Base and candidate", parts: sideParts),
        .init(
          id: "work", title: "Counted work",
          parts: HTMLPage.Part.each([workTable?.titled(""), workFunctionTable])),
        .init(
          id: "expectations", title: "Contrast of the variants",
          parts: HTMLPage.Part.each([expectationTable?.titled("")])),
        .init(id: "values", title: "Metrics", parts: metricParts),
        .init(id: "frames", title: "Frames", parts: frameParts),
        .init(id: "resources", title: "Memory and CPU", parts: seriesParts),
        .init(id: "profile", title: "CPU time", parts: profileParts(flame)),
        .init(id: "machine", title: "Samplers", parts: auditParts),
        .init(id: "reproduce", title: "Reproduce", parts: [.code(command)]),
      ],
      data: (flame.map {
        [(HTMLPage.Flame.source, $0.json(significant: comparison.functions.significantKeys))]
      } ?? [])
        + (evidence.flatMap(Self.json).map { [(Self.evidenceID, $0)] } ?? []))
  }

  /// Returns a line for the verdict and one for the metrics if an HTML report does not show them.
  public func contradictions(in report: String) -> [String] {
    // A reader does not see comments.
    let report = report.replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
    var lines: [String] = []
    if !report.contains(HTMLRenderer.verdict(headline, Tone(comparison.combined))) {
      lines.append("the report does not show: \(headline)")
    } else if report.ranges(of: "class=\"verdict").count > 1 {
      lines.append("the report shows another verdict in addition to: \(headline)")
    }
    for table in [metricTable, workTable].compactMap(\.self)
    where !report.contains(HTMLRenderer().render(table.titled(""))) {
      lines.append("its table of \(table.id) shows other values")
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
    let runs = "run:\(comparison.base.run) run:\(comparison.candidate.run)"
    return "perfkit compare \(comparison.pairing == nil ? runs : comparison.id)"
  }

  private var runs: (base: Run, candidate: Run)? {
    guard let base = base?.run, let candidate = candidate?.run else { return nil }
    return (base, candidate)
  }

  // MARK: Sides

  private var sideParts: [HTMLPage.Part] {
    var parts = HTMLPage.Part.each([environmentTable, sideTable])
    if !warnings.isEmpty { parts.append(.warnings(warnings)) }
    if let noise { parts.append(.note("Noise: \(noise.summary).")) }
    return parts
  }

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
    rows += differentParameters.map { name in
      row(name, documents.map { $0?.run.parameters[name]?.description ?? Wording.nothing })
    }
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

  private var differentParameters: [String] {
    guard let runs else { return [] }
    let (old, new) = (runs.base.parameters, runs.candidate.parameters)
    return Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }
  }

  // MARK: Figures

  private var metricParts: [HTMLPage.Part] {
    let decisive = comparison.metrics.filter { $0.isGating || $0.verdict != .equivalent }
    let shown = decisive.filter { $0.definition.direction != .neutral }.prefix(24)
    let figure = MetricFigures.forest(Array(shown))
    return [figure].compactMap(\.self).map(HTMLPage.Part.figure)
      + HTMLPage.Part.each([metricTable?.titled("")])
  }

  private var frameParts: [HTMLPage.Part] {
    guard let runs else { return [] }
    let sides = [("base", runs.base), ("candidate", runs.candidate)]
    let middle = sides.compactMap { side, run in run.middleLaunch.map { (side, $0) } }
    let highest = middle.compactMap { FrameFigures.top(of: $1) }.max()
    let timelines = middle.compactMap { side, launch in
      FrameFigures.timeline(of: launch, highest: highest, side: side)
    }
    return [distributionFigure].compactMap(\.self).map(HTMLPage.Part.figure)
      + HTMLPage.Part.each([FrameTables.quantiles(sides.map { ($0.0, $0.1.measured) })])
      + timelines.map(HTMLPage.Part.figure)
  }

  var distributionFigure: Figure? {
    guard let runs else { return nil }
    return FrameFigures.distribution([
      ("base", .base, runs.base.measured), ("candidate", .candidate, runs.candidate.measured),
    ])
  }

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
    let launches = runs.base.measured + runs.candidate.measured
    let figures = SeriesFigures.names(in: launches).compactMap(seriesFigure)
    return figures.isEmpty ? [] : [.figures(figures)]
  }

  // MARK: Profiles

  private var flameData: FlameData? {
    guard let runs, let before = FlameData.Side(runs.base),
      let after = FlameData.Side(runs.candidate)
    else { return nil }
    return FlameData(after, against: before)
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
            isDifference: true)))
    }
    return parts + HTMLPage.Part.each([functionTable])
  }

  private var auditParts: [HTMLPage.Part] {
    let tables = [("base", base), ("candidate", candidate)].compactMap { name, document in
      document?.auditTable.map {
        Table(
          id: "audit-\(name)", title: "Sampler of the \(name)", columns: $0.columns,
          groups: $0.groups)
      }
    }
    return tables.isEmpty ? [] : [.tables(tables)]
  }
}
