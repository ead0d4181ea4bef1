internal import PerfModel

extension ComparisonDocument {
  /// The comparison in the format `perfkit.comparison/1`.
  ///
  /// `pairs`, `launches_per_pair` and `decided_at` are null for runs that were not interleaved.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.comparison/1",
      "id": .string(comparison.id),
      "base": comparison.base.json,
      "candidate": comparison.candidate.json,
      "pairs": .optional(comparison.pairing?.pairs),
      "launches_per_pair": .optional(comparison.pairing?.launchesPerPair),
      "alpha": .number(comparison.alpha),
      "seed": .unsigned(comparison.seed),
      "metrics": .array(comparison.metrics.map(\.json)),
      "functions": .array(comparison.functions.map(\.json)),
      "environment_differences": .array(comparison.environmentDifferences.map(\.json)),
      "certificate": noise?.certificate?.json ?? .null,
      "warnings": .array(warnings.map(\.json)),
      "verdict": .string(comparison.verdict.rawValue),
      "sentence": .string(verdictSentence),
    ])
  }
}

extension Comparison.Side {
  fileprivate var json: JSONValue {
    .object([
      "id": .string(run),
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
      "note": .string(note),
      "verdict": .string(verdict.rawValue),
    ])
  }
}

extension FunctionComparison {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(name),
      "kind": .string(kind.rawValue),
      "unit": "ns",
      "base": .number(base),
      "candidate": .number(candidate),
      "difference": .number(difference),
      "low": .optional(low),
      "high": .optional(high),
      "q": .optional(q),
      "significant": .bool(isSignificant),
    ])
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
