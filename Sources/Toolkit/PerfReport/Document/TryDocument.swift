public import PerfModel
internal import PerfStatistics

/// The decision on one try of a campaign, in at most 15 lines.
public struct TryDocument: Sendable {
  private let attempt: Campaign.Try
  private let campaign: Campaign
  private let definition: MetricDefinition
  /// The sentences on the functions that explain the change; nil if no function is certain.
  private let explanation: String?
  /// Whether the user stopped the command, which explains a missing total.
  private let isStopped: Bool

  /// Creates the document of a try; its measured comparison explains the change.
  public init(
    _ attempt: Campaign.Try, of campaign: Campaign, _ definition: MetricDefinition,
    measured: ComparisonDocument? = nil, isStopped: Bool = false
  ) {
    self.isStopped = isStopped
    self.attempt = attempt
    self.campaign = campaign
    self.definition = definition
    explanation = measured?.explanation
  }

  /// Whether the change is kept.
  public var isKept: Bool { attempt.isKept }

  /// The id of the comparison of the checkout with the anchor; nil if nothing was measured.
  public var comparison: String? { attempt.measured?.comparison }

  /// The longest reason that the text shows.
  private static let longestReason = 120

  /// The decision as text.
  public var document: Document {
    let because = attempt.because.map { text in
      text.count > Self.longestReason ? "\(text.prefix(Self.longestReason - 1))…" : text
    }
    let facts: [(String, String?)] = [
      ("because", because), ("campaign", campaignFact), ("error", errorFact),
      ("total", attempt.isKept ? totalFact : nil), ("anchor", anchorFact),
      ("comparison", attempt.measured?.comparison),
    ]
    return Document(
      title: "try",
      blocks: [
        .verdict(
          [sentence, explanation].compactMap(\.self).joined(separator: " "),
          attempt.isKept ? .good : .bad),
        .facts(facts.compactMap { name, value in value.map { Document.Fact(name, $0) } }),
      ])
  }

  /// The decision in one sentence.
  public var sentence: String {
    let measured = attempt.measured.map { gain in
      "measured \(Wording.change(gain.change, of: definition)) \(interval(gain))"
    }
    if let objection = attempt.objection {
      return "Drop: \(objection)\(measured.map { "; \($0)" } ?? "")."
    }
    return "Keep: \(campaign.metric) changed by "
      + "\(Wording.change(attempt.claimed, of: definition)), corrected for the selection"
      + "\(measured.map { "; \($0)" } ?? "")."
  }

  private func interval(_ gain: Campaign.Gain) -> String {
    Wording.changeInterval(gain.low, gain.high, around: gain.change, of: definition)
  }

  private var campaignFact: String {
    let kept = campaign.outcomes.count { $0 }
    return "\(campaign.number == 0 ? "new" : "\(campaign.number)"), \(campaign.metric) of "
      + "\(campaign.scenario), \(Wording.count(campaign.tries.count, "try", "tries")), \(kept) kept"
  }

  private var errorFact: String {
    let next = percent(nextLevel)
    guard let level = attempt.level else { return "nothing spent, \(next) for the next try" }
    return "\(percent(level)) spent, \(next) for the next try; at most 5% of the kept changes are "
      + "false on average"
  }

  private func percent(_ level: Double) -> String {
    NumberFormat.significant(level * 100, digits: 2) + "%"
  }

  private var nextLevel: Double { OnlineErrorBudget().level(after: campaign.outcomes) }

  private var totalFact: String {
    guard let total = attempt.total else {
      return "not measured, because "
        + (isStopped ? "the command was stopped" : "the time was over or launches failed")
    }
    return "\(Wording.change(total.change, of: definition)) \(interval(total)) since "
      + "\(campaign.start.name), measured again (comparison \(total.comparison))"
  }

  private var anchorFact: String {
    attempt.isKept
      ? "this checkout; the next change is measured against it"
      : "\(campaign.anchor.name); undo the change before the next try"
  }
}

extension TryDocument {
  /// The decision in the format `perfkit.try/1`; changes are candidate against base, in `scale`.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.try/1",
      "campaign": .int(campaign.number),
      "scenario": .string(campaign.scenario),
      "variant": .optional(campaign.variant),
      "metric": .string(campaign.metric),
      "unit": .string(definition.baseUnit.symbol),
      "scale": .string(definition.scale.rawValue),
      "start": .string(campaign.start.commit),
      "anchor": .string(campaign.anchor.commit),
      "number": .int(campaign.tries.count),
      "kept": .int(campaign.outcomes.count { $0 }),
      "next_level": .number(nextLevel),
      "try": attempt.json,
      "tries": .array(campaign.tries.map(\.json)),
      "sentence": .string(sentence),
      "explanation": .optional(explanation),
    ])
  }
}

extension Campaign.Try {
  fileprivate var json: JSONValue {
    .object([
      "decision": isKept ? "keep" : "drop",
      "because": .optional(because),
      "decided": .string(decided.description),
      "level": .optional(level),
      "objection": .optional(objection),
      "measured": measured?.json ?? .null,
      "claimed": .optional(claimed),
      "total": total?.json ?? .null,
    ])
  }
}

extension Campaign.Gain {
  fileprivate var json: JSONValue {
    .object([
      "change": .number(change), "low": .number(low), "high": .number(high),
      "comparison": .string(comparison),
    ])
  }
}
