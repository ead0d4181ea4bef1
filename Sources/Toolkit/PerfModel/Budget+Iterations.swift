extension Budget.Statistic {
  /// The least number of iterations from which the statistic says more than the extreme does.
  ///
  /// One value in 100 / (100 - p) lies above percentile p: p95 of fewer than 20 values is hardly
  /// anything but their largest. The median, the mean and the extremes can always be taken.
  public var iterationsNeeded: Int {
    guard case .percentile(let percent) = self, percent > 0, percent < 100 else { return 1 }
    guard percent != 50 else { return 1 }
    // 100 - 99.9 is a little less than 0.1: the slack keeps 1000 from becoming 1001.
    let slack = 1 - 1e-9
    return Int((100 / Swift.min(percent, 100 - percent) * slack).rounded(.up))
  }

  /// The extreme to use instead of a percentile of too few iterations: `min` or `max`.
  public var extreme: Budget.Statistic {
    if case .percentile(let percent) = self, percent < 50 { return .min }
    return .max
  }
}
