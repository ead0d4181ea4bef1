internal import PerfModel

extension RunRecord.Parameter {
  init(_ value: ParameterValue) {
    switch value {
    case .int(let value): int = value
    case .double(let value): double = value
    case .string(let value): string = value
    case .bool(let value): bool = value
    }
  }

  func value(_ name: String, of run: String) throws(RecordProblem) -> ParameterValue {
    let values: [ParameterValue?] = [
      int.map(ParameterValue.int), double.map(ParameterValue.double),
      string.map(ParameterValue.string), bool.map(ParameterValue.bool),
    ]
    let found = values.compactMap(\.self)
    guard found.count == 1, double?.isFinite != false else {
      throw RecordProblem("parameter \(name) of run \(run) has no value, or several")
    }
    return found[0]
  }
}

extension RunRecord.LaunchRow {
  init(_ launch: Launch) {
    index = launch.index
    isWarmup = launch.isWarmup
    let ending = RunWriter.stored(launch.status)
    status = ending.0
    signal = ending.1
    message = ending.2
    offset = launch.offset
    began = launch.began
    metrics = launch.metrics
  }

  func launch(of run: String) throws(RecordProblem) -> Launch {
    guard index >= 0,
      let status = LaunchReader.status(status, signal: signal, message: message)
    else { throw RecordProblem("launch \(index) of run \(run) ended in no known way") }
    if let wrong = metrics.first(where: { !$0.value.isFinite }) {
      throw RecordProblem("launch \(index) of run \(run) has a \(wrong.key) that is no number")
    }
    return Launch(
      index: index, isWarmup: isWarmup, status: status, offset: offset, metrics: metrics,
      began: began)
  }
}

extension RunRecord.Limit {
  init(_ budget: Budget) {
    metric = budget.metric
    let kind = RunWriter.stored(budget.statistic)
    statistic = kind.0
    percentile = kind.1
    comparison = budget.comparison.rawValue
    baseLimit = budget.limit.baseValue
    unit = budget.limit.unit.symbol
  }

  func budget(of run: String) throws(RecordProblem) -> Budget {
    guard let kind = RunReader.statistic(statistic, percentile: percentile),
      let side = Budget.Comparison(rawValue: comparison), let unit = Unit.named(unit),
      baseLimit.isFinite, percentile.map({ (0...100).contains($0) }) ?? true
    else { throw RecordProblem("the budget of \(metric) of run \(run) makes no sense") }
    return Budget(
      metric: metric, statistic: kind, comparison: side,
      limit: Quantity(baseValue: baseLimit, unit: unit))
  }
}
