/// The result of a selftest on a machine: its false alarms, and the changes that it detects.
public struct NoiseCertificate: Hashable, Sendable, Codable {
  /// The detection rate of an injected change.
  public struct DetectionRate: Hashable, Sendable, Codable {
    /// The injected change.
    public let change: InjectedChange
    /// The comparisons that reported a change; without an injected change these are false alarms.
    public let told: Int
    /// The number of comparisons.
    public let comparisons: Int

    /// Creates a detection rate.
    public init(change: InjectedChange, told: Int, comparisons: Int) {
      self.change = change
      self.told = told
      self.comparisons = comparisons
    }
  }

  /// The machine, as in `Environment.machine`.
  public let machine: String
  /// The end of the selftest.
  public let certified: Timestamp
  /// The detection rate of each injected change.
  public let findings: [DetectionRate]
  /// The smallest detected change of CPU time, or nil.
  public let smallest: InjectedChange?
  /// Nanoseconds that the selftest took.
  public let duration: UInt64
  /// The number of launches.
  public let launches: Int
  /// The seed of the first comparison; each further comparison adds 1.
  public let seed: UInt64
  /// The version of `perfkit`.
  public let version: String

  /// Creates a certificate.
  public init(
    machine: String, certified: Timestamp, findings: [DetectionRate], smallest: InjectedChange?,
    duration: UInt64, launches: Int, seed: UInt64, version: String
  ) {
    self.machine = machine
    self.certified = certified
    self.findings = findings
    self.smallest = smallest
    self.duration = duration
    self.launches = launches
    self.seed = seed
    self.version = version
  }

  /// Returns the detection rate of a kind of change; for CPU time, of the smallest detected change.
  public func finding(of kind: InjectedChange.Kind) -> DetectionRate? {
    kind == .cpuTime
      ? findings.first { $0.change == smallest } : findings.first { $0.change.kind == kind }
  }

  /// Returns a warning about margins that are finer than the certified ones.
  ///
  /// Only relative margins of time and memory are checked. The noise of other units depends on the
  /// program.
  public func warning(on metrics: [MetricComparison]) -> RunWarning? {
    let finer = metrics.filter { metric in
      guard metric.isGating, metric.definition.scale == .ratio, let margin = metric.margin,
        let kind = Self.kind(of: metric.definition.name)
      else { return false }
      // A margin that is computed again may differ in its last bit.
      return certifiedMargin(of: kind).map { margin < $0 * (1 - 1e-9) } ?? true
    }
    guard !finer.isEmpty else { return nil }
    let listed = finer.map { metric in
      let margin = NumberFormat.human(metric.margin ?? 0, .ratio)
      let limit = Self.kind(of: metric.definition.name).flatMap(certifiedMargin)
      return "\(metric.definition.name) (\(margin), certified "
        + "\(limit.map { NumberFormat.human($0, .ratio) } ?? "none"))"
    }
    return RunWarning(
      code: "certificate.margin_finer",
      message: "margins are finer than this machine's noise certificate covers: "
        + listed.joined(separator: ", "),
      remedy:
        "Widen the margins in the scenario's gate, or measure on a quieter machine; "
        + "'perfkit selftest' renews the certificate.")
  }

  /// The smallest margin at which a change of this kind was detected, or nil.
  private func certifiedMargin(of kind: InjectedChange.Kind) -> Double? {
    finding(of: kind)?.change.margin.relative
  }

  /// The injected change by which selftest certifies a metric's margin; nil if it does not certify the metric.
  private static func kind(of metric: String) -> InjectedChange.Kind? {
    if MetricName.isRunTime(metric) { return .cpuTime }
    return MetricName.isMemorySize(metric) ? .memory : nil
  }
}

/// The knowledge about a machine's noise.
public enum NoiseStatus: Hashable, Sendable {
  /// No selftest was made.
  case uncertified
  /// A selftest was made.
  case certified(NoiseCertificate)

  /// The certificate, or nil.
  public var certificate: NoiseCertificate? {
    if case .certified(let certificate) = self { certificate } else { nil }
  }
}
