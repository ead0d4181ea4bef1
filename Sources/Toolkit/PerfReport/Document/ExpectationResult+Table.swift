package import PerfModel

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
      rows: expectations.map(Self.expectationCells), caption: Self.expectationCaption)
  }

  /// The columns of judged expectations: verdict, expectation, values and note.
  package static let expectationColumns: [Column] = [
    .init("verdict"), .init("expectation"), .init("values", isDetail: true),
    .init("note", isDetail: true),
  ]
  /// The explanation of the values of judged expectations.
  package static let expectationCaption =
    "The values are the two sides of the expectation. Each metric is the median of the launches of "
    + "its variant."

  /// Returns the cells of a judged expectation, one for each of ``expectationColumns``.
  package static func expectationCells(of result: ExpectationResult) -> [Cell] {
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
