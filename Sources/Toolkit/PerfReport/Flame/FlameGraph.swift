public import PerfModel

/// A flame graph of one profile, or of the difference between two.
public struct FlameGraph: Sendable {
  /// The selected samples as a call tree.
  let data: FlameData
  /// The state that is drawn, and the direction.
  let options: FlameOptions
  /// The heading.
  let title: String
  /// Keys of functions with a significant change; nil if significance is unknown.
  let significant: Set<String>?
  /// The samplers' warnings.
  public let warnings: [RunWarning]

  /// Whether no sample is left to draw.
  public var isEmpty: Bool { !data.rows.keys.contains { $0.state == options.state } }

  /// Creates the flame graph of a run; nil if it has no profile.
  public init?(_ run: Run, options: FlameOptions = FlameOptions()) {
    guard let profile = run.profile else { return nil }
    data = FlameData(profile, launches: run.sampled.count, filter: options.filter)
    self.options = options
    title = run.subject
    significant = nil
    warnings = profile.audit.warnings
  }

  /// Creates the differential flame graph of two runs: red grew, blue shrank.
  ///
  /// The width of a box is the weight of both runs together, so that removed code stays visible. The
  /// result is nil if either run has no profile.
  ///
  /// - Parameters:
  ///   - candidate: The run after the change.
  ///   - base: The run before the change.
  ///   - options: The samples to draw.
  ///   - functions: The comparison of the functions, whose insignificant changes are drawn grey; empty
  ///     to draw all changes in colour.
  public init?(
    _ candidate: Run, against base: Run, options: FlameOptions = FlameOptions(),
    functions: [FunctionComparison] = []
  ) {
    guard let after = candidate.profile, let before = base.profile else { return nil }
    data = FlameData(
      base: before, baseLaunches: base.sampled.count, candidate: after,
      candidateLaunches: candidate.sampled.count, filter: options.filter)
    self.options = options
    title = "\(base.subject) against \(candidate.subject)"
    significant =
      functions.isEmpty ? nil : Set(functions.filter(\.isSignificant).map(\.key))
    warnings =
      before.audit.warnings.map { $0.about("base") }
      + after.audit.warnings.map { $0.about("candidate") }
  }
}
