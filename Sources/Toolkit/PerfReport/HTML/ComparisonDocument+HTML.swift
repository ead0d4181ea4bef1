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
    let whole = flameData
    let flame = whole?.forPage
    return HTMLPage(
      title: title, kind: "perfkit comparison", verdict: headline,
      because: explanation ?? "", tone: Tone(comparison.combined), facts: designFacts,
      sections: [
        .init(id: "decision", title: "Decision", parts: decisionParts),
        .init(id: "frames", title: "Timeline", parts: timelineParts(flame)),
        .init(
          id: "profile", title: "CPU time",
          parts: profileParts(flame, note: whole?.pruningNote ?? "")),
        .init(id: "costs", title: "Frames", parts: frameParts),
        .init(
          id: "resources", title: SeriesFigures.title(of: measured), parts: seriesParts),
        .init(id: "values", title: "Other metrics", parts: otherMetricParts),
        .init(id: "sides", title: "Base and candidate", parts: [.table(sideTable)]),
        .init(id: "machine", title: "Samplers", parts: auditParts),
        .init(id: "reproduce", title: "Reproduce", parts: [.code(command)]),
      ],
      data: (flame.map {
        [(HTMLPage.Flame.source, $0.json(significant: comparison.functions.significantKeys))]
      } ?? [])
        + (evidence.flatMap(Self.json).map { [(Self.evidenceID, $0)] } ?? []))
  }

  /// The ID of the element with the launches.
  public static let evidenceID = "evidence"

  private static func json(_ evidence: PairedEvidence) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Slashes are escaped, so the content cannot end the element.
    return (try? encoder.encode(evidence)).map { String(decoding: $0, as: UTF8.self) }
  }

  private var runs: (base: Run, candidate: Run)? {
    guard let base = base?.run, let candidate = candidate?.run else { return nil }
    return (base, candidate)
  }

  // MARK: Sides

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
      row(
        "commit", zip(sides, documents).map { Self.commit(of: $0, $1) ?? Wording.nothing }),
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

  // MARK: Parts

  private var decisionParts: [HTMLPage.Part] {
    var parts = HTMLPage.Part.each([environmentTable, keyMetricTable])
    parts += [forest].compactMap(\.self).map(HTMLPage.Part.figure)
    parts += HTMLPage.Part.each([workTable, workFunctionTable, expectationTable])
    if !warnings.isEmpty { parts.append(.warnings(warnings)) }
    if let noise { parts.append(.note("Noise: \(noise.summary).")) }
    return parts
  }

  private var otherMetricParts: [HTMLPage.Part] {
    let tables = otherMetricTables
    return tables.isEmpty ? [] : [.folded(tables)]
  }

  /// The intervals of the key metrics, and of others that gate or changed.
  private var forest: Figure? {
    let others = comparison.metrics.filter { $0.isGating || $0.verdict != .equivalent }
    let decisive = (keyMetrics + others).uniqued().filter { $0.definition.direction != .neutral }
    return MetricFigures.forest(Array(decisive.prefix(12)))
  }

  private var frameParts: [HTMLPage.Part] {
    guard let runs else { return [] }
    return [distributionFigure].compactMap(\.self).map(HTMLPage.Part.figure)
      + HTMLPage.Part.each([
        FrameTables.quantiles([
          ("base", runs.base.measured), ("candidate", runs.candidate.measured),
        ])
      ])
  }

  private func timelineParts(_ flame: FlameData?) -> [HTMLPage.Part] {
    guard let runs else { return [] }
    let sides = [
      ("base", TimelineData(runs.base, flame: flame, isBase: true, other: runs.candidate)),
      ("candidate", TimelineData(runs.candidate, flame: flame, other: runs.base)),
    ]
    return sides.compactMap { side, data in
      data.map {
        .timeline(.init(id: "timeline-\(side)", title: "A launch of the \(side)", data: $0))
      }
    }
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
    let tables = HTMLPage.Part.each([allocationTable])
    let figures = SeriesFigures.names(in: measured).compactMap(seriesFigure)
    return tables + (figures.isEmpty ? [] : [.figures(figures)])
  }

  /// The measured launches of both sides; empty without their runs.
  private var measured: [Launch] { runs.map { $0.base.measured + $0.candidate.measured } ?? [] }

  // MARK: Profiles

  private var flameData: FlameData? {
    guard let runs, let before = FlameData.Side(runs.base),
      let after = FlameData.Side(runs.candidate)
    else { return nil }
    return FlameData(after, against: before)
  }

  private func profileParts(_ flame: FlameData?, note: String) -> [HTMLPage.Part] {
    var parts: [HTMLPage.Part] = []
    if let flame, !flame.rows.isEmpty {
      parts.append(
        .flame(
          .init(
            id: "flame", title: "Differential flame graph",
            note:
              "The width is the CPU time of both sides together, so removed code stays visible. "
              + "Red grew and blue shrank in CPU time per launch." + note,
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
