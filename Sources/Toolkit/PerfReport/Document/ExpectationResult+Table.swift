public import PerfModel

extension RunDocument {
  var expectationTable: Table? { Table(expectations: expectations) }
}

extension ComparisonDocument {
  var expectationTable: Table? { Table(expectations: expectations) }
}

extension Table {
  /// Creates the table of judged expectations; nil if the variants of none were measured.
  fileprivate init?(expectations: [ExpectationResult]) {
    guard expectations.contains(where: { $0.verdict != .notMeasured }) else { return nil }
    self.init(
      id: "expectations", title: "Contrast of the variants", columns: Self.expectationColumns,
      rows: expectations.map(Self.cells), caption: Self.expectationCaption)
  }

  /// Returns the table of the judged expectations of several scenarios; nil if they have none.
  public static func contrasts(
    of scenarios: [(name: String, results: [ExpectationResult])]
  ) -> Table? {
    let rows = scenarios.flatMap { scenario in
      scenario.results.map { [Cell(scenario.name)] + cells(of: $0) }
    }
    guard !rows.isEmpty else { return nil }
    return Table(
      id: "contrasts", title: "Contrasts of the variants",
      columns: [.init("scenario")] + expectationColumns, rows: rows, caption: expectationCaption)
  }

  private static let expectationColumns: [Column] = [
    .init("verdict"), .init("expectation"), .init("values", isDetail: true),
    .init("note", isDetail: true),
  ]
  private static let expectationCaption =
    "Each metric is the median of the launches of its variant."

  private static func cells(of result: ExpectationResult) -> [Cell] {
    [
      .init(result.verdict.rawValue, Tone(result.verdict)),
      .init(result.expectation.description),
      .init(values(of: result), .strong),
      .init(result.reason, .muted),
    ]
  }

  /// Returns the values of both sides, such as `254 MB and 104.8 MB`; empty for unmeasured variants.
  private static func values(of result: ExpectationResult) -> String {
    [result.left, result.right].compactMap(\.self)
      .map { NumberFormat.human($0, result.dimension ?? .count) }.joined(separator: " and ")
  }
}

extension Table {
  /// Returns the judged expectations as checks; empty if the variants of none were measured.
  static func checks(of expectations: [ExpectationResult]) -> [Check] {
    guard expectations.contains(where: { $0.verdict != .notMeasured }) else { return [] }
    return expectations.map { result in
      let order: [ExpectationVerdict] = [.broken, .notTestable, .kept, .notMeasured]
      return Check(
        rank: order.firstIndex(of: result.verdict) ?? 0, word: result.verdict.rawValue,
        tone: Tone(result.verdict), text: result.expectation.description,
        value: result.verdict == .notTestable ? result.reason : values(of: result))
    }
  }
}

extension Tone {
  fileprivate init(_ verdict: ExpectationVerdict) {
    switch verdict {
    case .kept: self = .good
    case .broken: self = .bad
    case .notTestable: self = .unknown
    case .notMeasured: self = .muted
    }
  }
}
