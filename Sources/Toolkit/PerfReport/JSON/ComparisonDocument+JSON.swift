internal import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// The comparison in the format `perfkit.comparison/1`.
  ///
  /// `pairs`, `launches_per_pair` and `decided_at` are null for runs that were not interleaved. The same
  /// program on both sides (`same_program`) has no runs and no metrics.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.comparison/1",
      "id": .string(comparison.id),
      "base": comparison.base.json,
      "candidate": comparison.candidate.json,
      "pairs": .optional(comparison.pairing?.pairs),
      "same_program": .bool(comparison.isSameProgram),
      "launches_per_pair": .optional(comparison.pairing?.launchesPerPair),
      "layouts": .optional(comparison.pairing?.layouts),
      "alpha": .number(comparison.alpha),
      "seed": .unsigned(comparison.seed),
      "metrics": .array(comparison.metrics.map(\.json)),
      "functions": .array(comparison.functions.map(\.json)),
      "allocations": comparison.allocations?.json ?? .null,
      "environment_differences": .array(comparison.environmentDifferences.map(\.json)),
      "certificate": noise?.certificate?.json ?? .null,
      "warnings": .array(warnings.map(\.json)),
      "verdict": .string(comparison.verdict.rawValue),
      "expectations": .array(expectations.map(\.json)),
      "work": comparison.work?.json ?? .null,
      "combined": .string(comparison.combined.rawValue),
      "sentence": .string(verdictSentence),
    ])
  }
}

extension Comparison.Side {
  fileprivate var json: JSONValue {
    .object([
      "id": run.isEmpty ? .null : .string(run),
      "scenario": .string(scenario),
      "variant": .string(variant),
      "label": .optional(label),
      "commit": .optional(commit),
      "started": .string(started.description),
    ])
  }
}

extension MetricComparison {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(definition.name),
      "unit": .string(definition.baseUnit.symbol),
      "scale": .string(definition.scale.rawValue),
      "base": .optional(base),
      "candidate": .optional(candidate),
      "ratio": .optional(ratio),
      "estimate": .optional(estimate),
      "low": .optional(low),
      "high": .optional(high),
      "p": .optional(p),
      "n": .int(min(n.base, n.candidate)),
      "n_base": .int(n.base),
      "n_candidate": .int(n.candidate),
      "margin": .optional(margin),
      "gating": .bool(isGating),
      "decided_at": .optional(decidedAt),
      "pairs_needed": .optional(pairsNeeded),
      "pace_share": .optional(paceShare),
      "layout": layout.map { effect in
        .object(["share": .number(effect.share), "deviation": .number(effect.deviation)])
      } ?? .null,
      "slow_launches": slowLaunches.map { slow in
        .object([
          "base": .number(slow.base), "candidate": .number(slow.candidate),
          "beyond": .number(slow.beyond),
        ])
      } ?? .null,
      "note": .string(note),
      "verdict": .string(verdict.rawValue),
    ])
  }
}

extension AllocationComparison {
  fileprivate var json: JSONValue {
    .object([
      "counts": .array(counts.map { $0.json(.count) }),
      "bytes": .array(bytes.map { $0.json(.size) }),
    ])
  }
}

extension AllocationComparison.Function {
  fileprivate func json(_ dimension: Dimension) -> JSONValue {
    guard case .object(var members) = change.json(dimension) else { return .null }
    members["callers"] = .array(callers.map(JSONValue.string))
    return .object(members)
  }
}

extension FunctionComparison {
  var json: JSONValue { json(.time) }

  func json(_ dimension: Dimension) -> JSONValue {
    .object([
      "name": .string(name),
      "kind": .string(kind.rawValue),
      "unit": .string(Unit.base(of: dimension).symbol),
      "base": .number(base),
      "candidate": .number(candidate),
      "difference": .number(difference),
      "low": .optional(low),
      "high": .optional(high),
      "q": .optional(q),
      "significant": .bool(isSignificant),
      "touched": .bool(isTouched),
    ])
  }
}

extension WorkComparison {
  fileprivate var json: JSONValue {
    .object([
      "metrics": .array(metrics.map(\.json)),
      "verdict": .string(verdict.rawValue),
      "deterministic": .bool(isDeterministic),
      "nondeterminism": .object([
        "base": .number(nondeterminism.base), "candidate": .number(nondeterminism.candidate),
      ]),
      "functions": .array(functions.map(\.json)),
    ])
  }
}

extension WorkComparison.Function {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(name),
      "module": .optional(module),
      "unit": "instructions",
      "base": .number(base),
      "candidate": .number(candidate),
      "difference": .number(difference),
      "spread": .number(spread),
      "calls_base": .number(baseCalls),
      "calls_candidate": .number(candidateCalls),
      "significant": .bool(isChanged),
    ]
    if let dataMissDifference { members["data_miss_difference"] = .number(dataMissDifference) }
    return .object(members)
  }
}

extension Environment.Difference {
  fileprivate var json: JSONValue {
    .object([
      "key": .string(key), "base": .optional(base), "candidate": .optional(candidate),
      "voids": .bool(voids),
    ])
  }
}
