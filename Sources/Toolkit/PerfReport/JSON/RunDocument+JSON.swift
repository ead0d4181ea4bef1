public import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// The run in the format `perfkit.run/1`; times are in nanoseconds, sizes in bytes.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.run/1",
      "id": .string(run.id),
      "scenario": .string(run.scenario),
      "variant": .string(run.variant),
      "label": .optional(run.label),
      "commit": .optional(run.environment[.commit]),
      "dirty": run.environment[.dirty].map { .bool($0 == "true") } ?? .null,
      "started": .string(run.started.description),
      "seed": .unsigned(run.seed),
      "parameters": .object(run.parameters.mapValues(\.json)),
      "command": .array(run.command.map(JSONValue.string)),
      "interrupted": .bool(run.wasInterrupted),
      "environment": .object(run.environment.facts.mapValues(JSONValue.string)),
      "iterations": .array(run.launches.map(\.json)),
      "metrics": .array(metrics.map(\.json)),
      "budgets": .array(budgets.map(\.json)),
      "expectations": .array(expectations.map(\.json)),
      "work": run.work?.json ?? .null,
      "profile": run.profile.map { profile in
        run.importedFormat.map(profile.json) ?? profile.audit.json
      } ?? .null,
      "functions": functionsJSON,
      "slow_spans": slowSpans?.json ?? .null,
      "certificate": noise?.certificate?.json ?? .null,
      "warnings": .array(warnings.map(\.json)),
      "verdict": .string(verdict.rawValue),
    ])
  }
}

extension ParameterValue {
  /// The value in JSON: a number for a number.
  public var json: JSONValue {
    switch self {
    case .int(let value): .int(value)
    case .double(let value): .number(value)
    case .string(let value): .string(value)
    case .bool(let value): .bool(value)
    }
  }
}

extension Launch {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [
      "index": .int(index),
      "status": .string(status.json),
      "warmup": .bool(isWarmup),
      "offset": .unsigned(offset),
      "metrics": .object(metrics.mapValues(JSONValue.number)),
    ]
    if case .crashed(let signal) = status {
      members["signal"] = .string(Status.signalName(signal))
    }
    if case .failed(let message) = status { members["message"] = .string(message) }
    return .object(members)
  }
}

extension Launch.Status {
  fileprivate var json: String {
    switch self {
    case .completed: "completed"
    case .crashed: "crashed"
    case .timedOut: "timed_out"
    case .jetsam: "jetsam"
    case .failed: "failed"
    case .interrupted: "interrupted"
    }
  }
}

extension MetricSummary {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(definition.name),
      "unit": .string(definition.baseUnit.symbol),
      "direction": .string(definition.direction.rawValue),
      "n": .int(values.count),
      "median": .number(median),
      "median_low": .optional(low),
      "median_high": .optional(high),
      "values": .array(values.map(JSONValue.number)),
    ])
  }
}

extension BudgetResult {
  fileprivate var json: JSONValue {
    .object([
      "metric": .string(budget.metric),
      "statistic": .string(budget.statistic.description),
      "comparison": .string(budget.comparison.rawValue),
      "limit": .number(budget.limit.baseValue),
      "unit": .string(Unit.base(of: budget.limit.unit.dimension).symbol),
      "value": .optional(value),
      "low": .optional(interval?.lowerBound),
      "high": .optional(interval?.upperBound),
      "note": .string(note),
      "verdict": .string(verdict.rawValue),
    ])
  }
}

extension Profile {
  /// Returns an imported profile as JSON; nothing is known about its sampling.
  fileprivate func json(ofFormat format: String) -> JSONValue {
    .object([
      "imported": .object([
        "format": .string(format), "measure": .string(measure.name),
        "unit": .string(Unit.base(of: measure.dimension).symbol),
        "weight": .number(counts.reduce(0) { $0 + ($1.state == .running ? $1.weight : 0) }),
      ]),
      "samples": measure.hasSamples ? .int(audit.samples) : .null,
    ])
  }
}

extension ProfileAudit {
  fileprivate var json: JSONValue {
    .object([
      "samples": .int(samples),
      "dropped": .int(dropped),
      "engine": .string((engine ?? .signal).rawValue),
      "engine_reason": .optional(engineReason),
      "rate_asked": .number(rateAsked),
      "rate_reached": .number(rateReached),
      "complete": .int(complete),
      "truncated": .int(truncated),
      "partial": .int(partial),
      "waits": .int(waits),
      "waits_complete": .int(waitsComplete),
      "failed": .int(failed),
      "failures": .object(failures.mapValues(JSONValue.int)),
      "sampled_seconds": .number(seconds),
      "ticks": .int(ticks),
      "ticks_missed": .int(ticksMissed),
      "ticks_late": .int(ticksLate),
      "signals": .int(signals),
      "signals_not_taken": .int(signalsBlocked),
      "signals_refused": .int(signalsFailed),
      "threads_blocking": .int(threadsBlocking),
      "ticker_cpu_ns": .number(Double(tickerCPU)),
      "cpus_busy": .optional(cpusBusy),
      "ring_high_water": .number(ringHighWater),
      "records_without_sense": .int(garbage),
      "handler_p50_ns": .optional(handlerP50),
      "handler_p99_ns": .optional(handlerP99),
      "signal_cost_ns": .optional(signalCost),
      "signal_cost_low_ns": .optional(signalCostLow),
      "signal_cost_high_ns": .optional(signalCostHigh),
      "overhead_percent": .optional(overhead.map { $0 * 100 }),
      "overhead_low_percent": .optional(overheadLow.map { $0 * 100 }),
      "overhead_high_percent": .optional(overheadHigh.map { $0 * 100 }),
    ])
  }
}

extension RunWarning {
  var json: JSONValue {
    .object([
      "code": .string(code), "message": .string(message), "remedy": .string(remedy),
    ])
  }
}
