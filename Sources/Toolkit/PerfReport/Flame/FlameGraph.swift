public import PerfModel

/// A flame graph of one profile, or of the difference between two.
public struct FlameGraph: Sendable {
  /// What goes into it, and its words.
  let data: FlameData
  /// Which samples are shown.
  let options: FlameOptions
  /// The heading.
  let title: String
  /// Keys of functions whose change is shown to be real; nil when nobody has judged.
  let significant: Set<String>?
  /// What the samplers of the runs have to say.
  public let warnings: [RunWarning]

  /// Whether the options leave no sample of either run to draw.
  public var isEmpty: Bool {
    !data.rows.keys.contains { CallTree.selects($0, data, options) }
  }

  /// Creates the flame graph of a run; nil when it has no profile.
  public init?(_ run: Run, options: FlameOptions = FlameOptions()) {
    guard let profile = run.profile else { return nil }
    data = FlameData(profile, launches: run.sampled.count)
    self.options = options
    title = run.subject
    significant = nil
    warnings = profile.audit.warnings
  }

  /// Creates the differential flame graph of two runs: red grew, blue shrank.
  ///
  /// Frames are as wide as both sides together, so that code which is gone is seen, too. Nil when
  /// either run has no profile.
  ///
  /// - Parameters:
  ///   - candidate: What is now.
  ///   - base: What was before.
  ///   - options: Which samples are shown.
  ///   - functions: Which functions changed; others are grey. Empty when nobody has judged.
  public init?(
    _ candidate: Run, against base: Run, options: FlameOptions = FlameOptions(),
    functions: [FunctionComparison] = []
  ) {
    guard let after = candidate.profile, let before = base.profile else { return nil }
    data = FlameData(
      base: before, baseLaunches: base.sampled.count, candidate: after,
      candidateLaunches: candidate.sampled.count)
    self.options = options
    title = "\(base.subject) against \(candidate.subject)"
    significant =
      functions.isEmpty ? nil : Set(functions.filter(\.isSignificant).map(\.key))
    warnings =
      before.audit.warnings.map { $0.about("base") }
      + after.audit.warnings.map { $0.about("candidate") }
  }
}
