/// What a machine's noise lets a comparison tell there, by a selftest: how often it is wrong, and
/// which changes it finds.
public struct NoiseCertificate: Hashable, Sendable, Codable {
  /// How often something was told of a change that was injected.
  public struct DetectionRate: Hashable, Sendable, Codable {
    /// The change.
    public let change: InjectedChange
    /// In how many comparisons it was told; of no change these are false alarms.
    public let told: Int
    /// Comparisons in all.
    public let comparisons: Int

    /// Creates a finding.
    public init(change: InjectedChange, told: Int, comparisons: Int) {
      self.change = change
      self.told = told
      self.comparisons = comparisons
    }
  }

  /// The machine, as `Environment.machine` says.
  public let machine: String
  /// When the selftest ended.
  public let certified: Timestamp
  /// What was found of each change.
  public let findings: [DetectionRate]
  /// The smallest change of CPU time that is found; nil when none is.
  public let smallest: InjectedChange?
  /// Nanoseconds that the selftest took.
  public let duration: UInt64
  /// Launches that it made.
  public let launches: Int
  /// The seed of the first comparison; the next ones count up from it.
  public let seed: UInt64
  /// The version of the command.
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

  /// Returns what was found of a kind of change; of CPU time that of the smallest one that is
  /// found.
  public func finding(of kind: InjectedChange.Kind) -> DetectionRate? {
    kind == .cpuTime
      ? findings.first { $0.change == smallest } : findings.first { $0.change.kind == kind }
  }
}

extension NoiseCertificate {
  /// Returns what must be said of a comparison whose margins are finer than what was tried here.
  ///
  /// Only margins that are parts of a time or of memory are looked at: the others are in units, and
  /// how much of a unit is noise depends on the program.
  ///
  /// - Parameter metrics: Of the comparison.
  /// - Returns: One warning for all of them, or nil.
  public func warning(on metrics: [MetricComparison]) -> RunWarning? {
    let finer = metrics.filter { metric in
      guard metric.isGating, metric.definition.scale == .ratio, let margin = metric.margin,
        let kind = Self.kind(of: metric.definition.name)
      else { return false }
      // A margin that is computed anew may be off by its last bit.
      return certifiedMargin(of: kind).map { margin < $0 * (1 - 1e-9) } ?? true
    }
    guard !finer.isEmpty else { return nil }
    let told = finer.map { metric in
      let margin = NumberFormat.human(metric.margin ?? 0, .ratio)
      let limit = Self.kind(of: metric.definition.name).flatMap(certifiedMargin)
      return "\(metric.definition.name) (\(margin), certified "
        + "\(limit.map { NumberFormat.human($0, .ratio) } ?? "none"))"
    }
    return RunWarning(
      code: "certificate.margin_finer",
      message: "margins are finer than what this machine's noise certificate covers: "
        + told.joined(separator: ", "),
      remedy:
        "Widen them in the scenario's gate, or measure on a quieter machine; 'perfkit selftest' "
        + "certifies it anew.")
  }

  /// The smallest margin at which a change of this kind was found; nil when none was.
  private func certifiedMargin(of kind: InjectedChange.Kind) -> Double? {
    finding(of: kind)?.change.margin.relative
  }

  /// By which change a metric's margin is held; nil where none is like it.
  private static func kind(of metric: String) -> InjectedChange.Kind? {
    if MetricName.isRunTime(metric) { return .cpuTime }
    return MetricName.isMemorySize(metric) ? .memory : nil
  }
}

/// What is known of the noise of the machine that something was measured on.
public enum NoiseStatus: Hashable, Sendable {
  /// Nobody has looked yet.
  case uncertified
  /// A selftest was made there.
  case certified(NoiseCertificate)

  /// The certificate, if there is one.
  public var certificate: NoiseCertificate? {
    if case .certified(let certificate) = self { certificate } else { nil }
  }
}
