internal import PerfModel
internal import PerfStatistics

extension SelftestDocument {
  /// The selftest in the format `perfkit.selftest/1`; times are in nanoseconds, sizes are
  /// fractions.
  public var json: JSONValue {
    var members: [String: JSONValue] = [
      "schema": "perfkit.selftest/1",
      "started": .string(facts.started.description),
      "duration": .unsigned(facts.duration),
      "launches": .int(facts.launches),
      "launch_time": .unsigned(facts.launchTime),
      "profiled": .bool(facts.isProfiled),
      "seed": .unsigned(facts.seed),
      "environment": .object(facts.environment.facts.mapValues(JSONValue.string)),
      "changes": .array(record.findings.map(object)),
      "smallest_cpu": .optional(record.smallest?.size),
      "comparisons": .array(record.trials.map(\.json)),
      "certificate": certificate?.json ?? .null,
      "warnings": .array(warnings.map(\.json)),
      "sentence": .string(sentence),
    ]
    switch record.conclusion {
    case .kept: members["verdict"] = "kept"
    case .broken(let reasons):
      members["verdict"] = "broken"
      members["reasons"] = .array(reasons.map(JSONValue.string))
    case .tooFew: members["verdict"] = "too_few"
    }
    return .object(members)
  }

  private func object(_ finding: NoiseCertificate.DetectionRate) -> JSONValue {
    let share = Self.share(finding)
    let change = finding.change
    return .object([
      "kind": .string(change.kind.rawValue),
      "size": .number(change.size),
      "unit": change.kind == .frames ? "ns" : "ratio",
      "metric": .optional(change.metric),
      "margin": .optional(change.margin.relative ?? change.margin.absolute),
      "told": .int(finding.told),
      "comparisons": .int(finding.comparisons),
      "share": .optional(share?.value),
      "low": .optional(share?.low),
      "high": .optional(share?.high),
    ])
  }
}

extension SelftestRecord.Trial {
  fileprivate var json: JSONValue {
    .object([
      "change": .string(change.name),
      "told": .bool(isFound),
      "estimate": .optional(estimate),
      "pairs": .int(pairs),
    ])
  }
}

extension NoiseCertificate {
  var json: JSONValue {
    let alarms = finding(of: .nothing)
    let found = finding(of: .cpuTime)
    return .object([
      "certified": .string(certified.description),
      "false_alarms": .optional(alarms?.told),
      "comparisons": .optional(alarms?.comparisons),
      "smallest_cpu": .optional(smallest?.size),
      "found": .optional(found?.told),
      "found_of": .optional(found?.comparisons),
      "summary": .string(summary),
    ])
  }
}
