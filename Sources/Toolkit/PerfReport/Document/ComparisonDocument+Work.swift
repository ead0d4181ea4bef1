internal import PerfModel
internal import PerfStatistics

/// The verdict sentence and the tables of a comparison with counted work.
extension ComparisonDocument {
  /// Returns the sentence on work and time.
  ///
  /// For example: "Does 3.1% more work (parse), time undecided: wall -1% to +6%."
  func workHeadline(_ work: WorkComparison) -> String {
    let clause = Self.clause(work)
    if comparison.verdict == .void { return "\(timeHeadline) \(clause)." }
    return "\(clause), \(timeClause(work))."
  }

  /// The verdict on work and time together, with both verdicts.
  var combinedFact: Document.Fact? {
    comparison.work.map { work in
      .init(
        "verdict", "\(comparison.combined): work \(work.verdict), time \(comparison.verdict)")
    }
  }

  /// Returns what the counts say, as a clause.
  private static func clause(_ work: WorkComparison) -> String {
    guard work.isDeterministic else {
      return "Work not judged, as equal launches differ by \(work.nondeterminism.words)"
    }
    let gating = work.metrics.filter(\.isGating)
    let deciding = gating.filter { $0.verdict == work.verdict }
    switch work.verdict {
    case .regressed, .improved:
      let changes = deciding.prefix(2).map(workChange)
      let names = work.culprits.map(\.name)
      return "Does \(Wording.list(changes))"
        + (names.isEmpty ? "" : " (\(Wording.list(names)))")
    case .equivalent:
      let isEqual = gating.allSatisfy { $0.low == 0 && $0.high == 0 }
      return isEqual ? "Does exactly the same work" : "Does the same work (\(range(gating)))"
    case .inconclusive, .void:
      let open = deciding.filter { $0.low == nil || $0.high == nil }.map(\.definition.name)
      return "Work undecided: " + (open.isEmpty ? range(deciding) : Wording.list(open))
    }
  }

  /// Returns the change of a counted metric, such as `3.1% more work`.
  private static func workChange(_ metric: MetricComparison) -> String {
    let estimate = metric.estimate ?? 0
    let size =
      metric.definition.scale == .ratio
      ? NumberFormat.human(estimate.magnitude, .ratio, digits: 2)
      : NumberFormat.human(estimate.magnitude, metric.definition.dimension)
    let name = metric.definition.name
    return "\(size) \(estimate < 0 ? "less" : "more") work"
      + (name == MetricName.workInstructions ? "" : " by \(name)")
  }

  /// Returns the intervals of metrics, such as `-0.1% to +0.2%`.
  private static func range(_ metrics: [MetricComparison]) -> String {
    Wording.list(
      firstOf: metrics.map { metric in
        let ends = [metric.low, metric.high].map {
          Wording.change($0, of: metric.definition, digits: 2)
        }
        let name = metric.definition.name
        return (name == MetricName.workInstructions ? "" : "\(name) ")
          + "\(ends[0]) to \(ends[1])"
      })
  }

  /// Returns what the pairs say, as a clause.
  private func timeClause(_ work: WorkComparison) -> String {
    let deciding = comparison.metrics.filter { $0.isGating && $0.verdict == comparison.verdict }
    switch comparison.verdict {
    case _ where work.isAlone && work.verdict != .inconclusive: return "time does not gate"
    case .equivalent where leavesOutAccepted: return "time accepted"
    case .void, .equivalent: return "time \(comparison.verdict)"
    case .regressed, .improved:
      return "time \(comparison.verdict): \(Wording.list(firstOf: deciding.map(Self.change)))"
    case .inconclusive:
      let known = deciding.filter { $0.failures == 0 && $0.low != nil && $0.high != nil }
      guard !known.isEmpty, known.count == deciding.count else {
        let names = deciding.map(\.definition.name)
        return names.isEmpty ? "time undecided" : "time undecided: \(Wording.list(firstOf: names))"
      }
      return "time undecided: \(Self.range(known))"
    }
  }

  var workTable: Table? {
    guard let work = comparison.work, !work.metrics.isEmpty else { return nil }
    return Table(
      id: "work", title: "Counted work per launch",
      columns: [
        .init("metric"), .init("base", .trailing), .init("candidate", .trailing),
        .init("change", .trailing), .init("verdict"),
        .init("interval", .trailing, isDetail: true), .init("n", .trailing, isDetail: true),
        .init("note", isDetail: true),
      ],
      rows: work.metrics.map { metric in
        Self.cells(of: metric) + [
          .init(Wording.changeInterval(metric)), .init("\(metric.n.base)+\(metric.n.candidate)"),
          .init(metric.note, .muted),
        ]
      },
      caption: "Equal launches differ by \(work.nondeterminism.words). "
        + "~: neither improved nor regressed.")
  }

  var workFunctionTable: Table? {
    guard let work = comparison.work, !work.functions.isEmpty else { return nil }
    func count(_ value: Double) -> String { NumberFormat.grouped(Int(value.rounded())) }
    let functions = work.functions.filter(\.isChanged) + work.functions.filter { !$0.isChanged }
    func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + count(value) }
    let hasMisses = functions.contains { $0.dataMissDifference != nil }
    let missColumns: [Table.Column] =
      hasMisses ? [.init("data misses", .trailing, isDetail: true)] : []
    let columns: [Table.Column] = [
      .init("base", .trailing), .init("candidate", .trailing), .init("difference", .trailing),
      .init("function", isFlexible: true), .init("calls", .trailing, isDetail: true),
    ]
    return Table(
      id: "work-functions", title: "Instructions of functions per launch",
      columns: columns + missColumns,
      rows: functions.prefix(12).map { function -> [Table.Cell] in
        let tone: Tone = function.isChanged ? .plain : .muted
        let sign = function.isChanged ? "" : "~ "
        var cells: [Table.Cell] = [
          .init(count(function.base), tone), .init(count(function.candidate), tone),
          .init(
            sign + signed(function.difference),
            function.isChanged ? (function.difference > 0 ? .bad : .good) : .muted),
          .init(function.name, tone),
          .init("\(count(function.baseCalls)) to \(count(function.candidateCalls))", .muted),
        ]
        if hasMisses {
          cells.append(
            .init(function.dataMissDifference.map(signed) ?? Wording.nothing, .muted))
        }
        return cells
      },
      caption: "Without callees. ~: within the spread of equal launches."
        + (hasMisses ? " Data misses: simulated, candidate minus base." : ""))
  }
}
