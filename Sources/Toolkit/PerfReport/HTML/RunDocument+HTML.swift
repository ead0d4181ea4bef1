internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// The run as one HTML file that needs no network.
  public func html() -> String { HTMLRenderer().render(page) }

  private var page: HTMLPage {
    let whole = FlameData.Side(run).map { FlameData($0) }
    let flame = whole?.forPage
    return HTMLPage(
      title: run.subject, kind: "perfkit run", verdict: verdictSentence, tone: verdictTone,
      facts: facts.filter { $0.name != "command" },
      sections: [
        .init(id: "verdict", title: budgets.isEmpty ? "Result" : "Budgets", parts: verdictParts),
        .init(id: "frames", title: "Timeline", parts: timelineParts(flame)),
        .init(
          id: "profile", title: "Profile",
          parts: profileParts(flame, note: whole?.pruningNote ?? "")),
        .init(id: "sources", title: "Source", parts: sourceParts),
        .init(id: "costs", title: "Frames", parts: frameParts),
        .init(
          id: "resources", title: SeriesFigures.title(of: run.drawn), parts: seriesParts),
        .init(id: "values", title: "All metrics", parts: metricParts),
        .init(id: "launches", title: "Launches", parts: launchParts),
        .init(id: "machine", title: "Environment", parts: environmentParts),
        .init(id: "reproduce", title: "Reproduce", parts: [.code(reproduction)]),
      ],
      data: flame.map { [(HTMLPage.Flame.source, $0.json(sources: sources))] } ?? [],
      evidence: run.importedFormat == nil ? ReportFile.element(run) : "")
  }

  private var verdictParts: [HTMLPage.Part] {
    HTMLPage.Part.each([
      budgetTable?.titled(""), expectationTable, failureTable, keyMetricTable,
    ]) + (warnings.isEmpty ? [] : [.warnings(warnings)])
  }

  private var launchParts: [HTMLPage.Part] {
    let figure = MetricFigures.byLaunch(keyMetrics, budgets: budgets)
    return [figure].compactMap(\.self).map(HTMLPage.Part.figure)
      + (run.launches.isEmpty ? [] : [.table(launchTable.titled(""))])
  }

  private func timelineParts(_ flame: FlameData?) -> [HTMLPage.Part] {
    guard let data = TimelineData(run, flame: flame) else { return [] }
    let title = "\(data.contents.capitalizedFirst) of a launch"
    return [.timeline(.init(id: "timeline", title: title, data: data))]
  }

  private var sourceParts: [HTMLPage.Part] {
    sources.isEmpty
      ? []
      : [
        .note(
          "Lines of the functions with the most CPU time. A click on a function in the flame graph "
            + "leads here."),
        .sources(sources),
      ]
  }

  private var metricParts: [HTMLPage.Part] {
    let tables = metricTables
    return tables.isEmpty ? [] : [.folded(tables)]
  }

  private var frameParts: [HTMLPage.Part] {
    [FrameFigures.distribution([(nil, .primary, run.drawn)])].compactMap(\.self)
      .map(HTMLPage.Part.figure)
      + HTMLPage.Part.each([
        FrameTables.quantiles([(nil, run.drawn)]), FrameTables.worst(run.drawn),
      ])
  }

  private var seriesParts: [HTMLPage.Part] {
    let figures = SeriesFigures.names(in: run.drawn).compactMap(series)
    return figures.isEmpty ? [] : [.figures(figures)]
  }

  var memoryLimit: (value: Double, label: String)? {
    run.budgets.first { $0.metric == MetricName.rssPeak && $0.comparison == .atMost }
      .map { ($0.limit.baseValue, "budget \($0.limit)") }
  }

  private func profileParts(_ flame: FlameData?, note: String) -> [HTMLPage.Part] {
    guard let flame, !flame.rows.isEmpty else { return HTMLPage.Part.each([workTable]) }
    let choice = flame.rows.keys.contains { $0.state.dimension == .size } ? " or memory" : ""
    var parts: [HTMLPage.Part] = [
      .flame(
        .init(
          id: "flame", title: "Flame graph",
          note: "The width is \(flame.measure.name)\(choice). Callers are above their callees. "
            + "Click to zoom in." + note))
    ]
    if flame.rows.keys.contains(where: { $0.frameClass == .missed }) {
      parts.append(
        .flame(
          .init(
            id: "flame-missed", title: "Flame graph of missed frames",
            note: "Only samples of frames that missed their refresh.", onlyMissedFrames: true)))
    }
    return parts
      + HTMLPage.Part.each([
        slowSpansTable, functionTable, threadTable, waitTable, taskTable, allocationTable,
      ])
  }

  private var environmentParts: [HTMLPage.Part] {
    let parameters = run.parameters.sorted { $0.key < $1.key }
    let table = Table(
      id: "parameters", title: "Parameters", columns: [.init("parameter"), .init("value")],
      rows: parameters.map { [.init($0.key, .muted), .init($0.value.description)] })
    let tables = [environmentTable, parameters.isEmpty ? nil : table, auditTable]
    return [.tables(tables.compactMap { $0 })]
  }

  /// The command to reproduce the run, with its seed.
  ///
  /// The arguments after `--` belong to the recorded program.
  private var reproduction: String {
    let checkout = run.environment[.commit].map { "git checkout \($0)\n" } ?? ""
    var words = run.command
    let end = words.firstIndex(of: "--") ?? words.endIndex
    if run.importedFormat == nil,
      !words[..<end].contains(where: { $0 == "--seed" || $0.hasPrefix("--seed=") })
    {
      words.insert(contentsOf: ["--seed", "\(run.seed)"], at: end)
    }
    return checkout + "perfkit " + Wording.command(words)
  }
}

extension Launch {
  var hitchTime: UInt64 { frames.reduce(0) { $0 + $1.hitch } }
}
