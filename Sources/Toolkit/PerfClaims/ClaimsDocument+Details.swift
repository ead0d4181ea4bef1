internal import PerfModel
internal import PerfReport
internal import PerfStatistics

/// The table of all claims of a study.
extension ClaimStory {
  var details: Table {
    Table(
      id: "claims-\(study.key)", title: "All claims of \(study.name)",
      columns: [
        .init("claim"), .init("quote", isFlexible: true), .init("number"), .init("allowed"),
        .init("evidence"), .init("before", .trailing), .init("after", .trailing),
        .init("change", .trailing), .init("verdict"), .init("reason"), .init("runs"),
      ],
      rows: rows.map(\.cells))
  }
}

extension ClaimsDocument.Row {
  fileprivate var cells: [Table.Cell] {
    let aspect = claim.assertion?.aspect
    let isHeld = if case .notTestable = claim.evidence { false } else { true }
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
    case .measured(let readings): "\(readings)"
    }
  }

  private var reason: String {
    [finding.reason, claim.note, finding.cause?.sentence ?? ""].filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  private func text(_ figure: ClaimFinding.Figure?, isAsserted: Bool) -> String {
    guard let figure, let assertion = claim.assertion else { return "" }
    return figure.text(
      in: assertion, isAsserted: isAsserted, isChange: figure == finding.change)
  }
}

extension ClaimFinding.Cause {
  /// The cause as a sentence.
  var sentence: String {
    guard let text else { return "Cause unknown." }
    let test = self.test.isEmpty ? "" : " (\(self.test))"
    return switch isShown {
    case nil: "Cause: \(text)."
    case true?: "Cause, shown by a measurement: \(text)\(test)."
    case false?: "Cause unknown: the measurement does not show that \(text)\(test)."
    }
  }
}

extension ClaimFinding.Figure {
  /// Returns the figure with its interval, in the claim's unit if the claim is about the figure.
  func text(in assertion: Assertion, isAsserted: Bool, isChange: Bool = false) -> String {
    let unit = isAsserted ? assertion.high.unit : nil
    let isFactor = assertion.aspect == .less || assertion.aspect == .more
    func number(_ value: Double) -> String {
      if isFactor, isChange || isAsserted {
        return NumberFormat.significant(value, digits: 3) + "x"
      }
      guard let unit, dimension == nil || dimension == unit.dimension else { return plain(value) }
      return Quantity(baseValue: value, unit: unit).plain
    }
    guard let interval = estimate.interval, interval.lowerBound < interval.upperBound else {
      return number(estimate.value)
    }
    return "\(number(estimate.value)) [\(number(interval.lowerBound)), "
      + "\(number(interval.upperBound))]"
  }

  /// The estimate alone, in a readable unit with three digits.
  var short: String { plain(estimate.value, digits: 3) }

  private func plain(_ value: Double, digits: Int = 4) -> String {
    dimension.map { NumberFormat.human(value, $0, digits: digits) }
      ?? NumberFormat.significant(value, digits: digits)
  }
}
