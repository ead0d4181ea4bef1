public import PerfModel
public import PerfStatistics

/// What case studies claim, each claim with its verdict.
public struct ClaimsDocument: Sendable {
  /// A claim with what came out of it.
  public struct Row: Sendable {
    /// What is claimed.
    public let claim: Claim
    /// What came out.
    public let finding: ClaimFinding

    /// Creates a row.
    public init(_ claim: Claim, _ finding: ClaimFinding) {
      self.claim = claim
      self.finding = finding
    }
  }

  /// The claims in the order of their files.
  public let rows: [Row]
  /// Where the runs were made; nil when there are none.
  public let environment: Environment?

  /// Creates a document.
  public init(_ rows: [Row], environment: Environment?) {
    self.rows = rows
    self.environment = environment
  }

  /// How many claims have each verdict, in one line.
  public var summary: String {
    let parts = ClaimFinding.Outcome.allCases.compactMap { outcome -> String? in
      let count = rows.count { $0.finding.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.words.lowercased())"
    }
    return "\(Wording.count(rows.count, "claim")): \(parts.joined(separator: ", "))"
  }

  /// Whether every claim has a verdict.
  public var isComplete: Bool { !rows.contains { $0.finding.outcome == .notMeasured } }

  // MARK: - Document

  /// The document that renderers show.
  public var document: Document {
    Document(
      title: "What the case studies claim, and what is measured here",
      blocks: [.verdict(summary + ".", isComplete ? .good : .unknown)]
        + Self.method.map(Document.Block.paragraph) + [.facts(machine)]
        + studies.map { .table(table(of: $0)) })
  }

  private static let method = [
    "A claim about what was measured is REPRODUCED when the estimate here is within what the claim "
      + "is held to, otherwise CONTRADICTED. Estimates are medians over launches (of crashes, "
      + "their part), of a change the ratio of both sides' launches, each with its interval of 95 %; "
      + "where the interval, widened by 5 % for the drift between sessions, reaches over a limit, "
      + "the verdict is called close.",
    "A limit (<, >) is held to as it stands. A number is held to a tolerance: counts and sums "
      + "exactly; shares to a point either way; times that somebody else's phone took to a factor of "
      + "3 either way, or as a bound where they say how good the result is; ratios of two such times "
      + "to a factor of 2 either way. Arithmetic over a case study's own numbers is computed here.",
  ]

  private var machine: [Document.Fact] {
    let keys: [Environment.Key] = [
      .cpuModel, .cpuCount, .cpuOnline, .memoryTotal, .kernel, .system, .toolchain, .commit,
    ]
    return keys.compactMap { key in environment?[key].map { .init(key.rawValue, $0) } }
  }

  private var studies: [String] {
    var studies: [String] = []
    for row in rows where !studies.contains(row.claim.study) { studies.append(row.claim.study) }
    return studies
  }

  private func table(of study: String) -> Table {
    Table(
      id: "claims", title: study,
      columns: [
        .init("claim"), .init("its words", isFlexible: true), .init("number"), .init("held to"),
        .init("evidence"), .init("before", .trailing), .init("after", .trailing),
        .init("change", .trailing), .init("verdict"), .init("why"), .init("runs"),
      ],
      rows: rows.filter { $0.claim.study == study }.map(\.cells))
  }
}

extension ClaimFinding.Outcome {
  /// The verdict as reports write it.
  public var words: String {
    switch self {
    case .reproduced: "REPRODUCED"
    case .contradicted: "CONTRADICTED"
    case .notTestable: "NOT TESTABLE"
    case .notMeasured: "NOT MEASURED"
    }
  }

  fileprivate var tone: Tone {
    switch self {
    case .reproduced: .good
    case .contradicted: .bad
    case .notTestable: .muted
    case .notMeasured: .unknown
    }
  }
}

extension ClaimsDocument.Row {
  fileprivate var cells: [Table.Cell] {
    let subject = claim.assertion?.subject
    let isHeld = finding.outcome != .notTestable
    return [
      .init(claim.id), .init(claim.quote), .init(claim.assertion?.description ?? ""),
      .init(isHeld ? claim.assertion?.limits ?? "" : ""), .init(evidence),
      .init(text(finding.before, isAsserted: subject == .before)),
      .init(text(finding.after, isAsserted: subject == .after)),
      .init(text(finding.change, isAsserted: true)),
      .init(finding.outcome.words, finding.outcome.tone), .init(why),
      .init(finding.runs.joined(separator: " ")),
    ]
  }

  /// What it was decided by.
  private var evidence: String {
    switch claim.evidence {
    case .notTestable: return ""
    case .computed(_, let text): return text
    case .measured(let before, let after):
      guard let before else { return "\(after.text) of \(after.source)" }
      guard before.text != after.text else {
        return "\(after.text) of \(before.source), then \(after.source)"
      }
      return "\(before.text) of \(before.source), then \(after.text) of \(after.source)"
    }
  }

  private var why: String {
    [finding.reason, claim.note].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// A figure with its interval; in the claim's own unit if the claim is about it.
  private func text(_ figure: ClaimFinding.Figure?, isAsserted: Bool) -> String {
    guard let figure else { return "" }
    let unit = isAsserted ? claim.assertion?.high.unit : nil
    let isChange = figure == finding.change && claim.assertion?.subject != .reduction
    func number(_ value: Double) -> String {
      if isChange { return NumberFormat.significant(value, digits: 3) + "x" }
      guard let unit, figure.dimension == nil || figure.dimension == unit.dimension else {
        return figure.dimension.map { NumberFormat.human(value, $0) }
          ?? NumberFormat.significant(value)
      }
      let digits = NumberFormat.significant(value / unit.factor)
      switch unit {
      case .count, .ratio: return digits
      case .percent: return "\(digits)%"
      default: return "\(digits) \(unit.symbol)"
      }
    }
    let estimate = figure.estimate
    guard let interval = estimate.interval, interval.lowerBound < interval.upperBound else {
      return number(estimate.value)
    }
    return "\(number(estimate.value)) [\(number(interval.lowerBound)), "
      + "\(number(interval.upperBound))]"
  }
}
