internal import PerfModel
public import PerfReport
internal import PerfStatistics

extension ClaimsDocument {
  /// The claims for scripts; measurements are in base units, claimed numbers in their own unit.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.claims/1",
      "summary": .object(
        Dictionary(
          uniqueKeysWithValues: ClaimVerdict.allCases.map { ($0.rawValue, .int(count(of: $0))) })),
      "environment": environment.map { .object($0.facts.mapValues(JSONValue.string)) } ?? nil,
      "claims": .array(rows.map(\.json)),
    ])
  }
}

extension ClaimsDocument.Row {
  fileprivate var json: JSONValue {
    .object([
      "id": .string(claim.id), "study": .string(claim.study), "quote": .string(claim.quote),
      "claimed": claim.assertion?.json ?? nil, "evidence": evidence,
      "verdict": .string(finding.verdict.words), "reason": .string(finding.reason),
      "note": .string(claim.note), "is_close": .bool(finding.isClose),
      "before": finding.before?.json ?? nil, "after": finding.after?.json ?? nil,
      "change": finding.change?.json ?? nil,
      "runs": .array(finding.runs.map(JSONValue.string)),
    ])
  }

  private var evidence: JSONValue {
    switch claim.evidence {
    case .notTestable(let reason): .object(["not_testable": .string(reason)])
    case .computed(_, let text): .object(["formula": .string(text)])
    case .measured(let before, let after):
      .object(["before": before?.json ?? nil, "after": after.json])
    }
  }
}

extension Claim.Reading {
  fileprivate var json: JSONValue {
    .object([
      "scenario": .string(source.scenario), "variant": .string(source.variant),
      "metric": .string(text),
    ])
  }
}

extension Assertion {
  fileprivate var json: JSONValue {
    .object([
      "subject": .string(aspect.rawValue), "relation": .string(relation.rawValue),
      "low": .number(low.value), "high": .number(high.value), "unit": .string(high.unit.symbol),
      "allowed_low": .optional(allowed.low), "allowed_high": .optional(allowed.high),
      "text": .string(description), "held_to": .string(limits),
    ])
  }
}

extension ClaimFinding.Figure {
  fileprivate var json: JSONValue {
    .object([
      "value": .number(estimate.value), "low": .optional(estimate.low),
      "high": .optional(estimate.high), "launches": .int(launches),
      "unit": .string(dimension.map { Unit.base(of: $0).symbol } ?? ""),
    ])
  }
}
