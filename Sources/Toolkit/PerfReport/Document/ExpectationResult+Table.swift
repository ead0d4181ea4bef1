internal import PerfModel

extension RunDocument {
  var expectationTable: Table? { Table(expectations: expectations) }
}

extension ComparisonDocument {
  var expectationTable: Table? { Table(expectations: expectations) }
}

extension Table {
  /// Creates the table of judged expectations; nil if there are none.
  fileprivate init?(expectations: [ExpectationResult]) {
    guard !expectations.isEmpty else { return nil }
    self.init(
      id: "expectations", title: "Contrast of the variants",
      columns: [
        .init("verdict"), .init("expectation", isFlexible: true), .init("left", .trailing),
        .init("right", .trailing),
        .init("note", isDetail: true),
      ],
      rows: expectations.map { result in
        [
          .init(result.verdict.rawValue, Tone(result.verdict)),
          .init(result.expectation.description),
          .init(Self.text(result.left, result.dimension), .strong),
          .init(Self.text(result.right, result.dimension)),
          .init(result.reason, .muted),
        ]
      }, caption: "Each metric is the median of the launches of its variant.")
  }

  private static func text(_ value: Double?, _ dimension: Dimension?) -> String {
    value.map { NumberFormat.human($0, dimension ?? .count) } ?? ""
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
