public import PerfModel
internal import PerfStatistics

extension NoiseCertificate {
  /// A short summary, such as `false alarms 0 of 16 (at most 17%), finds 3% of CPU time (13 of
  /// 13)`.
  ///
  /// The limit is the one-sided 95 % limit of Clopper and Pearson.
  public var summary: String {
    var parts: [String] = []
    if let same = finding(of: .nothing) {
      let bound = try? Proportion.upperBound(events: same.told, trials: same.comparisons)
      let limit = bound.map { " (at most \(NumberFormat.significant($0 * 100, digits: 2))%)" }
      parts.append("false alarms \(same.told) of \(same.comparisons)\(limit ?? "")")
    }
    if let smallest {
      let found = finding(of: .cpuTime).map { " (\($0.told) of \($0.comparisons))" }
      parts.append("finds \(smallest)\(found ?? "")")
    } else {
      parts.append("does not find \(InjectedChange.cpuTimes[InjectedChange.cpuTimes.count - 1])")
    }
    return parts.joined(separator: ", ")
  }
}

extension NoiseStatus {
  /// A short summary for the facts of a report.
  public var summary: String {
    switch self {
    case .uncertified: "not certified on this machine; run 'perfkit selftest'"
    case .certified(let certificate):
      "certified on \(certificate.certified.short.prefix(10)): \(certificate.summary)"
    }
  }
}
