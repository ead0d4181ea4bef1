internal import PerfModel

/// Metrics that only some launches of a run have.
enum MissingMetrics {
  /// The metrics that the kernel offers for each launch, or for none.
  ///
  /// The peak memory of a small command is read while it runs, which has a warning of its own. All other metrics
  /// depend on what the program does.
  private static let names = [
    MetricName.faultsMinor, MetricName.faultsMajor, MetricName.psiCPU, MetricName.psiMemory,
    MetricName.steal,
  ]

  /// Returns a warning if a reading failed in some of the measured launches, or nil.
  static func warning(of launches: [Launch]) -> RunWarning? {
    let completed = launches.filter { !$0.isWarmup && $0.status == .completed }
    let missing = names.compactMap { name -> String? in
      let count = completed.count { $0.metrics[name] == nil }
      return 0 < count && count < completed.count ? "\(name) (\(count))" : nil
    }
    guard !missing.isEmpty else { return nil }
    return RunWarning(
      code: "metric.missing",
      message: "of \(completed.count) launches, some have no value of "
        + missing.joined(separator: ", "),
      remedy: "A file of /proc could not be read then. The statistics are of the other launches.")
  }
}
