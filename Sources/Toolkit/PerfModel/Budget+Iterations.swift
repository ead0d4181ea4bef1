extension Budget.Statistic {
  /// The least number of iterations from which the statistic says more than the extreme does.
  ///
  /// One value in 100 / (100 - p) lies above percentile p: p95 of fewer than 20 values is hardly
  /// anything but their largest. The median, the mean and the extremes can always be taken.
  public var iterationsNeeded: Int {
    guard case .percentile(let percent) = self, percent > 0, percent < 100 else { return 1 }
    // The small amount keeps 100 / 5 from becoming 21 by rounding.
    if percent > 50 { return Int((100 / (100 - percent) - 1e-9).rounded(.up)) }
    if percent < 50 { return Int((100 / percent - 1e-9).rounded(.up)) }
    return 1
  }

  /// The extreme to use instead of a percentile of too few iterations: `min` or `max`.
  public var extreme: Budget.Statistic {
    if case .percentile(let percent) = self, percent < 50 { return .min }
    return .max
  }
}
