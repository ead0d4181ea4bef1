public import PerfModel
public import PerfReport
internal import PerfStatistics

/// The report on the claims of case studies, each with its verdict.
public struct ClaimsDocument: Sendable {
  /// A claim with its finding.
  public struct Row: Sendable {
    /// The claim.
    public let claim: Claim
    /// The verdict and its figures.
    public let finding: ClaimFinding

    /// Creates a row.
    public init(_ claim: Claim, _ finding: ClaimFinding) {
      self.claim = claim
      self.finding = finding
    }
  }

  let rows: [Row]
  /// The environment of the runs; nil without runs.
  let environment: Environment?

  /// Creates a document.
  public init(_ rows: [Row], environment: Environment?) {
    self.rows = rows
    self.environment = environment
  }

  /// The number of claims with each verdict, in one line.
  public var summary: String {
    let parts = ClaimVerdict.allCases.filter { count(of: $0) > 0 }
      .map { "\(count(of: $0)) \($0.words.lowercased())" }
    return "\(Wording.count(rows.count, "claim")): \(parts.joined(separator: ", "))"
  }

  func count(of verdict: ClaimVerdict) -> Int { rows.count { $0.finding.verdict == verdict } }

  /// Whether every claim was decided or is untestable.
  public var isComplete: Bool { count(of: .notMeasured) == 0 }

  // MARK: - Document

  /// The document for the renderers.
  public var document: Document {
    Document(
      title: "Claims of the case studies, measured here",
      blocks: [.verdict(summary + ".", isComplete ? .good : .unknown)]
        + Self.method.map(Document.Block.paragraph) + [.facts(machine)]
        + studies.map { .table(table(of: $0)) })
  }

  private static let method = [
    "A claim about a measurement is REPRODUCED if the estimate here is in the allowed range, "
      + "otherwise CONTRADICTED. An estimate is the median over launches (for crashes: their share of "
      + "all launches); a change is estimated as the ratio between the launches of both runs. Brackets "
      + "contain the 95 % confidence interval. A verdict is called close if the interval, widened by "
      + "5 % for the drift between sessions, contains a limit.",
    "Limits (<, >) apply as claimed. Numbers have a tolerance: counts and sums none; shares one "
      + "percentage point in both directions; times measured on another device a factor of 3 in both "
      + "directions, or a bound if the time expresses a success; ratios of two such times a factor of "
      + "2 in both directions. Arithmetic over a case study's own numbers is computed here.",
  ]

  private var machine: [Document.Fact] {
    let keys: [Environment.Key] = [
      .cpuModel, .cpuCount, .cpuOnline, .memoryTotal, .kernel, .system, .toolchain, .commit,
    ]
    return keys.compactMap { key in environment?[key].map { .init(key.rawValue, $0) } }
  }

  private var studies: [String] { rows.map(\.claim.study).uniqued() }

  private func table(of study: String) -> Table {
    Table(
      id: "claims", title: study,
      columns: [
        .init("claim"), .init("quote", isFlexible: true), .init("number"), .init("allowed"),
        .init("evidence"), .init("before", .trailing), .init("after", .trailing),
        .init("change", .trailing), .init("verdict"), .init("reason"), .init("runs"),
      ],
      rows: rows.filter { $0.claim.study == study }.map(\.cells))
  }
}

extension ClaimVerdict {
  var words: String {
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
    let aspect = claim.assertion?.aspect
    let isHeld = finding.verdict != .notTestable
    return [
      .init(claim.id), .init(claim.quote), .init(claim.assertion?.description ?? ""),
      .init(isHeld ? claim.assertion?.limits ?? "" : ""), .init(evidence),
      .init(text(finding.before, isAsserted: aspect == .before)),
      .init(text(finding.after, isAsserted: aspect == .after)),
      .init(text(finding.change, isAsserted: true)),
      .init(finding.verdict.words, finding.verdict.tone), .init(reason),
      .init(finding.runs.joined(separator: " ")),
    ]
  }

  private var evidence: String {
    switch claim.evidence {
    case .notTestable: ""
    case .computed(_, let text): text
    case .measured(nil, let after): "\(after.text) of \(after.source)"
    case .measured(let before?, let after) where before.text == after.text:
      "\(after.text) of \(before.source) and \(after.source)"
    case .measured(let before?, let after):
      "\(before.text) of \(before.source) and \(after.text) of \(after.source)"
    }
  }

  private var reason: String {
    [finding.reason, claim.note].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Returns a figure with its interval, in the claim's unit if the claim is about the figure.
  private func text(_ figure: ClaimFinding.Figure?, isAsserted: Bool) -> String {
    guard let figure else { return "" }
    let unit = isAsserted ? claim.assertion?.high.unit : nil
    let isChange = figure == finding.change && claim.assertion?.aspect != .reduction
    func number(_ value: Double) -> String {
      if isChange { return NumberFormat.significant(value, digits: 3) + "x" }
      guard let unit, figure.dimension == nil || figure.dimension == unit.dimension else {
        return figure.dimension.map { NumberFormat.human(value, $0) }
          ?? NumberFormat.significant(value)
      }
      return Quantity(baseValue: value, unit: unit).plain
    }
    let estimate = figure.estimate
    guard let interval = estimate.interval, interval.lowerBound < interval.upperBound else {
      return number(estimate.value)
    }
    return "\(number(estimate.value)) [\(number(interval.lowerBound)), "
      + "\(number(interval.upperBound))]"
  }
}
