internal import PerfModel
internal import PerfStatistics

extension HistoryDocument {
  var changeTable: Table {
    let rows = history.changes.map { change -> [Table.Cell] in
      let tone = change.verdict.map(Tone.init) ?? .plain
      let interval = Wording.changeInterval(
        change.size.low, change.size.high, around: change.size.value, of: history.definition)
      return [
        .init(name(history.points[change.index - 1])),
        .init(name(history.points[change.index]), .strong), .init(self.change(change), tone),
        .init(interval, .muted), .init(Wording.probability(change.p)), .init(word(change), tone),
      ]
    }
    return Table(
      id: "changes", title: "Changes",
      columns: [
        .init("from"), .init("to"), .init("change", .trailing),
        .init("95 % CI", .trailing, key: "interval"), .init("p", .trailing), .init("verdict"),
      ], rows: rows,
      caption:
        "p is the probability of such a change by chance. The confidence interval (CI) assumes that "
        + "the place of the change is exact.")
  }

  private func word(_ change: MetricHistory.Change) -> String {
    switch change.verdict {
    case .regressed: "worse"
    case .improved: "better"
    default: change.size.value > 0 ? "more" : "less"
    }
  }

  /// All commits, grouped by the stretches between changes.
  var pointTable: Table {
    let points = history.points
    let bounds = [0] + history.changes.map(\.index) + [points.count]
    let names = Dictionary(points.map { (name($0), 1) }, uniquingKeysWith: +)
    let groups = zip(bounds, bounds.dropFirst()).enumerated().map { index, range in
      let change = index > 0 ? history.changes[index - 1] : nil
      return Table.Group(
        title: change.map { "\(self.change($0)), median \(value($0.after))" },
        rows: points[range.0..<range.1].map { point in
          // The builds of a commit with changes have one name, and differ in their time.
          row(point, hasTime: names[name(point)] != 1)
        })
    }
    let hasSeveral = points.contains { $0.runs.count > 1 }
    let caption =
      "The spread of one run is the 95 % confidence interval of its median"
      + (hasSeveral ? ", that of several runs the range of their medians." : ".")
      + (points.contains(where: \.isDirty) ? " +: with uncommitted changes." : "")
    return Table(
      id: "commits", title: "Commits",
      columns: [
        .init(points.contains { $0.commit != nil } ? "commit" : "run", key: "commit"),
        .init("measured"), .init("median", .trailing), .init("spread", .trailing),
        .init("runs", .trailing), .init("summary", isFlexible: true),
      ], groups: groups, caption: caption)
  }

  private func row(_ point: MetricHistory.Point, hasTime: Bool) -> [Table.Cell] {
    let measured = hasTime ? point.started.short : String(point.started.short.prefix(10))
    return [
      .init(name(point), point.isDirty ? .muted : .strong),
      .init(measured, .muted), .init(value(point.value)),
      .init(
        point.low == nil && point.high == nil
          ? ""
          : Wording.interval(
            point.low, point.high, around: point.value, history.definition.dimension), .muted),
      .init(point.runs.count > 1 ? "\(point.runs.count)" : ""),
      .init(point.commit.flatMap { summaries[$0] } ?? "", .muted),
    ]
  }
}
