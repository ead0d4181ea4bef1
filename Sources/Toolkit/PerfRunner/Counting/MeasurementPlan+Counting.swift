public import PerfModel

extension MeasurementPlan {
  /// Counts the launches instead of measuring their times.
  ///
  /// Their memory contains valgrind's, so no limit of memory applies.
  public mutating func count(by callgrind: Callgrind) {
    self.callgrind = callgrind
    (agent, rate, countsAllocations, readsPace) = (nil, 0, false, false)
    (coldPageCache, deviceBudget, jetsamLimit) = (false, nil, nil)
  }

  /// The budgets of metrics that the launches can have.
  public var budgets: [Budget] {
    callgrind == nil ? scenario.budgets : scenario.budgets.filter(\.isOfWork)
  }
}
