public import PerfModel

/// A decision as a page of Markdown, in the manner of a decision log.
public struct DecisionPage: Sendable {
  /// What was decided.
  public let decision: Decision

  /// Creates the page of a decision.
  public init(_ decision: Decision) {
    self.decision = decision
  }

  /// The name of its file, as `0003-palette-extract-kept.md`.
  public var name: String {
    let digits = String(decision.number)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      + "-\(decision.scenario)-\(decision.outcome.rawValue).md"
  }

  /// The page.
  public var text: String {
    let date = Timestamp(milliseconds: decision.decided).short
    var parts = [
      "# \(decision.number). \(decision.scenario): \(title)", "<!-- perfkit-decision -->",
      "\(date) UTC. \(outcome)",
    ]
    if !decision.hypothesis.isEmpty { parts.append("## Hypothesis\n\n\(decision.hypothesis)") }
    if !decision.change.isEmpty { parts.append("## Change\n\n\(decision.change)") }
    parts.append("## Measured\n\n\(decision.sentence)\n\n\(table)")
    parts.append(
      """
      | | commit | variant | run |
      |---|---|---|---|
      | before | \(decision.base.commit ?? "none") | \(decision.base.variant) | \(decision.base.run) |
      | after | \(decision.candidate.commit ?? "none") | \(decision.candidate.variant) | \(decision.candidate.run) |

      Comparison `\(decision.comparison)`; `perfkit compare` shows it again.
      """)
    parts.append("## Because\n\n\(decision.because)")
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var title: String {
    guard let first = decision.change.split(separator: "\n").first else {
      return decision.outcome.rawValue
    }
    return String(first)
  }

  private var outcome: String {
    switch decision.outcome {
    case .kept: "**Kept.**"
    case .reverted: "**Reverted.**"
    case .noEffect: "**Kept, without an effect that was measured.**"
    }
  }

  private var table: String {
    let rows = decision.findings.map { finding -> [Table.Cell] in
      let metric = finding.comparison
      let cells = ComparisonDocument.cells(of: metric)
      return cells.dropLast() + [.init(Wording.changeInterval(metric))] + cells.suffix(1)
    }
    let table = Table(
      id: "findings", title: "",
      columns: [
        .init("metric"), .init("before", .trailing), .init("after", .trailing),
        .init("change", .trailing), .init("interval", .trailing), .init("verdict"),
      ], rows: rows)
    return MarkdownRenderer().render(table)
  }
}
