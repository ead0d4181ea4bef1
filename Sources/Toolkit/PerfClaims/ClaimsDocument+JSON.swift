internal import PerfModel
public import PerfReport
internal import PerfStatistics

extension ClaimsDocument {
  /// The claims for scripts; measurements are in base units, claimed numbers in their own unit.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.claims/2",
      "summary": .object(
        Dictionary(
          uniqueKeysWithValues: ClaimVerdict.allCases.map { verdict in
            (verdict.rawValue, .int(rows.count { $0.finding.verdict == verdict }))
          })),
      "runs": .array(runs.map(\.claimJSON)),
      "claims": .array(rows.map(\.json)),
    ])
  }
}

extension Run {
  /// The origin of a run: its variant, machine, commit, program and parameters.
  fileprivate var claimJSON: JSONValue {
    .object([
      "id": .string(id), "scenario": .string(scenario), "variant": .string(variant),
      "started": .string(started.description), "launches": .int(profiled.count),
      "environment": .object(environment.facts.mapValues(JSONValue.string)),
      "parameters": .object(parameters.mapValues { .string("\($0)") }),
    ])
  }
}

extension ClaimsDocument.Row {
  var json: JSONValue {
    .object([
      "id": .string(claim.id), "study": .string(claim.study), "quote": .string(claim.quote),
      "claimed": claim.assertion?.json ?? nil,
      "evidence": evidence, "verdict": .string(finding.verdict.words),
      "last_verdict": .optional(finding.last?.words), "reason": .string(finding.reason),
      "cause": finding.cause?.json ?? nil, "note": .string(claim.note),
      "is_close": .bool(finding.isClose),
      "before": finding.before?.json ?? nil, "after": finding.after?.json ?? nil,
      "change": finding.change?.json ?? nil,
      "runs": .array(finding.runs.map(JSONValue.string)),
    ])
  }

  private var evidence: JSONValue {
    switch claim.evidence {
    case .notTestable(let reason): .object(["not_testable": .string(reason)])
    case .computed(_, let text): .object(["formula": .string(text)])
    case .measured(let readings):
      .object(["before": readings.before?.json ?? nil, "after": readings.after.json])
    }
  }
}

extension ClaimFinding.Cause {
  fileprivate var json: JSONValue {
    .object([
      "text": .optional(text), "is_shown": isShown.map(JSONValue.bool) ?? nil,
      "test": .string(test),
    ])
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
