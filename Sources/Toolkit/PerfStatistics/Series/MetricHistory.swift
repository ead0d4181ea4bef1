public import PerfModel

/// A metric over the commits of a program, and where it changed.
///
/// A commit counts once, however often it was measured: sessions differ by more than the launches of
/// one, so each run is one number, its median, and a commit is the median of its runs.
public struct MetricHistory: Sendable {
  /// What was measured of one commit.
  public struct Point: Hashable, Sendable {
    /// The commit; nil when a run names none, and then the run is alone.
    public let commit: String?
    /// Whether the work tree had changes; runs of one build count together.
    public let isDirty: Bool
    /// The ids of its runs, the earliest first; at least one.
    public let runs: [String]
    /// When the earliest run began.
    public let started: Timestamp
    /// The median of its runs' medians, in the base unit.
    public let value: Double
    /// Of several runs the smallest median; of one run the lower limit of its 95 % interval, or nil
    /// with fewer than 6 launches.
    public let low: Double?
    /// The upper end of the same.
    public let high: Double?
  }

  /// A place between two points from which on the metric is different.
  public struct Change: Hashable, Sendable {
    /// The index of the first point after it.
    public let index: Int
    /// The median of the points since the change before.
    public let before: Double
    /// The median of the points up to the next change.
    public let after: Double
    /// By how much it changed, in the metric's scale: 0.03 is 3 percent, or a difference in the unit.
    public let size: IntervalEstimate
    /// The probability of so good a split without any change, by permutations.
    public let p: Double
    /// Worse or better; nil of a metric that is neither.
    public let verdict: ComparisonVerdict?
    /// How many commits between the two points were not measured; nil when that is not known.
    public let unmeasured: Int?
  }

  /// Runs that are not in the series.
  public struct Omission: Hashable, Sendable {
    /// Why, as `measured with other parameters (books = 200)`.
    public let reason: String
    /// How many.
    public let count: Int
  }

  /// What the metric is; its scale is the one by which changes are told.
  public let definition: MetricDefinition
  /// The commits, the oldest first; at least one.
  public let points: [Point]
  /// How many earlier commits the limit left out.
  public let earlier: Int
  /// The changes in order.
  public let changes: [Change]
  /// What was left out, the most runs first.
  public let omissions: [Omission]

  /// The least number of points in which a change can be told.
  public static let pointsNeeded = 10

  /// Puts runs in order and looks for changes; nil when no run has a finite value of the metric.
  ///
  /// - Parameters:
  ///   - runs: Of one scenario and variant, in any order. The latest one says which environment and
  ///     parameters count; runs of others are left out.
  ///   - metric: A metric of them.
  ///   - order: All commits from the oldest to the newest, measured or not; commits that are not in it
  ///     stand where their runs do in time.
  ///   - limit: How many of the latest points to keep, at least one.
  ///   - allowsDifferentEnvironments: Whether runs of other environments are kept.
  /// - Complexity: As `ChangePoints.find(in:)`.
  public init?(
    of runs: [Run], metric: String, order: [String] = [], limit: Int = .max,
    allowsDifferentEnvironments: Bool = false
  ) {
    let sorted = runs.sorted { $0.started < $1.started }
    let sessions = sorted.compactMap { run in
      (try? Quantiles.estimate(0.5, of: run.values(of: metric))).map { Session(run, $0) }
    }
    guard let latest = sessions.last?.run,
      let definition = latest.definitions.first(where: { $0.name == metric })
    else { return nil }
    var reasons: [String: Int] = [:]
    if sessions.count < runs.count {
      reasons["without a value of \(metric)"] = runs.count - sessions.count
    }
    let kept = sessions.filter { session in
      let reason = session.run.isIncomparable(
        with: latest, allowsDifferentEnvironments: allowsDifferentEnvironments)
      if let reason { reasons[reason, default: 0] += 1 }
      return reason == nil
    }
    let all = Self.ordered(Self.points(kept), by: order)
    points = Array(all.suffix(max(limit, 1)))
    earlier = all.count - points.count
    omissions = reasons.map { Omission(reason: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    let isRatio = definition.scale == .ratio && points.allSatisfy { $0.value > 0 }
    self.definition = isRatio ? definition : definition.compared(by: .difference)
    changes = Self.changes(points, self.definition, order: order)
  }

  /// A run with its median.
  private struct Session {
    let run: Run
    let median: IntervalEstimate

    init(_ run: Run, _ median: IntervalEstimate) {
      self.run = run
      self.median = median
    }

    /// What counts as one point: a commit, of changed work trees one content.
    var place: [String] {
      guard let commit = run.environment[.commit] else { return [run.id] }
      guard run.environment[.dirty] == "true" else { return [commit] }
      return [commit, run.environment[.tree] ?? run.environment[.buildIdentity] ?? run.id]
    }
  }

  private static func points(_ sessions: [Session]) -> [Point] {
    Dictionary(grouping: sessions, by: \.place).values.map { sessions in
      let (first, medians) = (sessions[0], sessions.map(\.median.value).sorted())
      let isAlone = sessions.count == 1
      return Point(
        commit: first.run.environment[.commit],
        isDirty: first.run.environment[.dirty] == "true", runs: sessions.map(\.run.id),
        started: first.run.started, value: Quantiles.ofSorted(medians, 0.5),
        low: isAlone ? first.median.low : medians.first,
        high: isAlone ? first.median.high : medians.last)
    }
  }

  private static func ordered(_ points: [Point], by order: [String]) -> [Point] {
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    func place(_ point: Point) -> Int? { point.commit.flatMap { places[$0] } }
    // What was changed on top of a commit comes after it.
    var result = points.filter { place($0) != nil }.sorted { first, second in
      let (one, other) = (place(first) ?? 0, place(second) ?? 0)
      if one != other { return one < other }
      if first.isDirty != second.isDirty { return second.isDirty }
      return (first.started, first.runs[0]) < (second.started, second.runs[0])
    }
    let others = points.filter { place($0) == nil }
      .sorted { ($0.started, $0.runs[0]) < ($1.started, $1.runs[0]) }
    for point in others {
      let before = result.lastIndex { $0.started <= point.started }
      result.insert(point, at: before.map { $0 + 1 } ?? 0)
    }
    return result
  }
}

extension Run {
  /// The parameters that another run has other values of; one that only one of them knows is no
  /// difference.
  func parameters(otherThanOf run: Run) -> Parameters {
    parameters.filter { name, value in run.parameters[name].map { $0 != value } ?? false }
  }

  /// Why a series cannot hold both this run and another one; nil when it can.
  fileprivate func isIncomparable(
    with latest: Run, allowsDifferentEnvironments: Bool
  ) -> String? {
    let other = parameters(otherThanOf: latest)
    if !other.isEmpty {
      let list = other.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
      return "measured with other parameters (\(list.joined(separator: ", ")))"
    }
    guard !allowsDifferentEnvironments else { return nil }
    let difference = environment.differences(to: latest.environment).first(where: \.voids)
    return difference.map {
      "measured in another environment (\($0.key) \($0.base ?? "unknown"))"
    }
  }
}
