public import PerfModel
internal import PerfStatistics

/// A flame graph of one profile, or of the difference between two.
public struct FlameGraph: Sendable {
  let data: FlameData
  let options: FlameOptions
  let title: String
  /// Keys of functions with a significant change; nil if significance is unknown.
  let significant: Set<String>?
  /// The samplers' warnings.
  public let warnings: [RunWarning]

  /// The words of a difference: the unit of which weights are means, and both sides.
  let sides: (unit: String, base: String, candidate: String)

  /// Whether no sample is left to draw.
  public var isEmpty: Bool { !data.rows.keys.contains { $0.state == options.state } }

  /// Creates the flame graph of a run, or a differential one of two runs: red grew, blue shrank.
  ///
  /// The width of a box is the weight of both runs together, so that removed code stays visible. The
  /// result is nil if either run has no profile. Insignificant changes of `functions` are drawn grey;
  /// without functions, all changes are drawn in colour.
  public init?(
    _ candidate: Run, against base: Run? = nil, options: FlameOptions = FlameOptions(),
    functions: [FunctionComparison] = []
  ) {
    let before = base.flatMap(FlameData.Side.init)
    guard let after = FlameData.Side(candidate), (before == nil) == (base == nil) else {
      return nil
    }
    data = FlameData(after, against: before, filter: options.filter)
    self.options = options
    title = Self.title(candidate, against: base)
    sides = ("launch", "before", "after")
    significant = functions.significantKeys
    let own = after.profile.audit.warnings
    warnings =
      before.map {
        $0.profile.audit.warnings.map { $0.about("base") } + own.map { $0.about("candidate") }
      }
      ?? own
  }

  /// Returns the names of both sides, or their runs if the names are equal.
  private static func title(_ candidate: Run, against base: Run?) -> String {
    guard let base else { return candidate.subject }
    return base.subject == candidate.subject
      ? "\(candidate.subject), \(base.id) to \(candidate.id)"
      : "\(base.subject) to \(candidate.subject)"
  }

  /// Creates the differential flame graph of the slowest spans of a run against those in the middle.
  ///
  /// Weights are means per span.
  public init(_ spans: SlowSpans, options: FlameOptions) {
    func side(_ spans: SlowSpans.Group) -> FlameData.Side {
      FlameData.Side(profile: spans.profile, launches: spans.durations.count)
    }
    data = FlameData(side(spans.slow), against: side(spans.middle), filter: options.filter)
    self.options = options
    title = "\(spans.subject): \(spans.summary)"
    sides = ("span", "in the middle", "in the slowest")
    significant = FunctionComparer().compare(spans, in: options.state).significantKeys
    warnings = spans.slow.profile.audit.warnings + [spans.warning].compactMap(\.self)
  }
}

extension [FunctionComparison] {
  /// The keys of the functions with significant changes; nil without functions.
  var significantKeys: Set<String>? {
    isEmpty ? nil : Set(filter(\.isSignificant).map(\.key))
  }
}
